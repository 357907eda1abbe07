#include "sandbox_kinds/crd_schema.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/json.h"
#include "sandbox_kinds/crd_schema_node.h"
#include "sandbox_kinds/crd_schema_parser.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Node = CrdSchema::Node;

constexpr std::size_t kMaxReports = 100;

// Takes unknown fields away and remembers where they were.
class Pruner {
 public:
  std::vector<std::string> take_unknown() {
    std::ranges::sort(unknown_);
    return std::move(unknown_);
  }

  // Without a schema nothing below is known.
  void prune(Json& value, const Node* node, const std::string& path, bool is_resource) {
    if (value.is_array()) {
      if (node != nullptr && !node->items && node->keeps_unknown) {
        return;
      }
      for (std::size_t i = 0; i < value.size(); ++i) {
        const Node* const items = node == nullptr ? nullptr : node->items.get();
        prune(value[i], items, path + "[" + std::to_string(i) + "]", items != nullptr && items->is_embedded);
      }
    } else if (value.is_object()) {
      prune_object(value, node, path, is_resource);
    }
  }

 private:
  void prune_object(Json& object, const Node* node, const std::string& path, bool is_resource) {
    for (auto field = object.begin(); field != object.end();) {
      const std::string place = path.empty() ? field.key() : path + "." + field.key();
      if (is_resource && is_object_field(field.key())) {
        if (field.key() == "metadata") {
          prune_metadata(*field, place);
        }
        ++field;
        continue;
      }
      const Node* const below = node == nullptr ? nullptr : node->field(field.key());
      if (below != nullptr) {
        prune_known(*field, *below, place);
        ++field;
      } else if (node != nullptr && (node->keeps_unknown || node->takes_any_key)) {
        ++field;
      } else {
        report(place);
        field = object.erase(field);
      }
    }
  }

  void prune_known(Json& value, const Node& node, const std::string& path) {
    // Below a field that keeps what it does not know, lists and maps without a schema are kept as they are.
    if (node.keeps_unknown && node.properties.empty() && !node.additional && !node.items && !node.is_embedded) {
      return;
    }
    prune(value, &node, path, node.is_embedded);
  }

  void prune_metadata(Json& metadata, const std::string& path) {
    if (!metadata.is_object()) {
      return;
    }
    for (auto field = metadata.begin(); field != metadata.end();) {
      if (is_metadata_field(field.key())) {
        ++field;
      } else {
        report(path + "." + field.key());
        field = metadata.erase(field);
      }
    }
  }

  void report(const std::string& place) {
    if (unknown_.size() < kMaxReports) {
      unknown_.push_back(place);
    }
  }

  std::vector<std::string> unknown_;
};

bool is_forbidden_null(const Json& value, const Node& node) { return value.is_null() && !node.is_nullable; }

void fill(const Node& node, Json& value);

void fill_object(const Node& node, Json& object) {
  for (const auto& [key, property] : node.properties) {
    const auto field = object.find(key);
    const bool is_missing = field == object.end() || is_forbidden_null(*field, *property);
    if (is_missing && property->fallback) {
      object[key] = *property->fallback;
    }
  }
  for (auto field = object.begin(); field != object.end();) {
    const Node* const below = node.field(field.key());
    if (below != nullptr && is_forbidden_null(*field, *below)) {
      if (!below->fallback) {
        field = object.erase(field);
        continue;
      }
      *field = *below->fallback;
    }
    if (below != nullptr) {
      fill(*below, *field);
    }
    ++field;
  }
}

void fill(const Node& node, Json& value) {
  if (value.is_object()) {
    fill_object(node, value);
  } else if (value.is_array() && node.items) {
    for (Json& element : value) {
      if (is_forbidden_null(element, *node.items) && node.items->fallback) {
        element = *node.items->fallback;
      }
      fill(*node.items, element);
    }
  }
}

const Node* node_at(const Node& root, const std::vector<std::string>& path) {
  const Node* node = &root;
  for (const std::string& key : path) {
    while (node != nullptr && node->items) {
      node = node->items.get();
    }
    node = node == nullptr ? nullptr : node->field(key);
  }
  return node;
}

}  // namespace

bool is_object_field(const std::string& key) { return key == "apiVersion" || key == "kind" || key == "metadata"; }

bool is_metadata_field(const std::string& key) {
  static constexpr std::array<std::string_view, 15> kFields = {"annotations",
                                                               "creationTimestamp",
                                                               "deletionGracePeriodSeconds",
                                                               "deletionTimestamp",
                                                               "finalizers",
                                                               "generateName",
                                                               "generation",
                                                               "labels",
                                                               "managedFields",
                                                               "name",
                                                               "namespace",
                                                               "ownerReferences",
                                                               "resourceVersion",
                                                               "selfLink",
                                                               "uid"};
  return std::ranges::binary_search(kFields, key);
}

CrdSchema::CrdSchema(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
CrdSchema::~CrdSchema() = default;

Result<std::shared_ptr<const CrdSchema>> CrdSchema::parse(const Json& schema, bool preserve_unknown) {
  auto impl = std::make_unique<Impl>();
  TRY_ASSIGN(impl->root, "", parse_schema_node(schema));
  impl->source = schema;
  impl->keeps_unknown = preserve_unknown;
  // NOLINTNEXTLINE(modernize-make-shared): the constructor is private.
  return std::shared_ptr<const CrdSchema>(new CrdSchema(std::move(impl)));  // allow-call: the constructor is private
}

std::vector<std::string> CrdSchema::prune(Json& object) const {
  if (impl_->keeps_unknown) {
    return {};
  }
  Pruner pruner;
  pruner.prune(object, impl_->root.get(), "", true);
  return pruner.take_unknown();
}

void CrdSchema::set_defaults(Json& object) const { fill(*impl_->root, object); }

Causes CrdSchema::validate(const Json& object) const {
  Causes causes = validate_node(*impl_->root, object);
  if (causes.size() > kMaxReports) {
    causes.resize(kMaxReports);
  }
  return causes;
}

CrdSchema::ListRule CrdSchema::list_rule(const std::vector<std::string>& path) const {
  const Node* const node = node_at(*impl_->root, path);
  return node == nullptr ? ListRule{} : node->list;
}

bool CrdSchema::is_atomic_map(const std::vector<std::string>& path) const {
  const Node* const node = node_at(*impl_->root, path);
  return node != nullptr && node->is_atomic_map;
}

const Json& CrdSchema::source() const { return impl_->source; }

}  // namespace landfall::sandbox
