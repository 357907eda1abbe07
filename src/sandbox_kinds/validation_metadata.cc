#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "json/json.h"
#include "k8s/names.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation.h"
#include "sandbox_kinds/validation_causes.h"
#include "sandbox_kinds/validation_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kAnnotationsMax = std::size_t{256} << 10;
constexpr std::string_view kBadAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

enum class NameRule { kSubdomain, kLabel, kServiceLabel, kPathSegment, kAddress };

NameRule name_rule(const KindInfo& kind) {
  if (kind.is_custom()) {
    return NameRule::kSubdomain;
  }
  if (kind.id.group == "rbac.authorization.k8s.io" || kind.kind == "APIService") {
    return NameRule::kPathSegment;
  }
  if (kind.id.group.empty() && kind.kind == "Service") {
    return NameRule::kServiceLabel;
  }
  if (kind.kind == "IPAddress") {
    return NameRule::kAddress;
  }
  const bool is_label = (kind.id.group.empty() && kind.kind == "Namespace") || kind.kind == "StatefulSet";
  return is_label ? NameRule::kLabel : NameRule::kSubdomain;
}

bool looks_like_an_address(std::string_view text) {
  constexpr std::string_view kAllowed = "0123456789abcdef.:";
  return text.find_first_of(".:") != std::string_view::npos &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

k8s::Problems name_problems(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::kLabel:
      return k8s::dns1123_label_problems(name);
    case NameRule::kServiceLabel:
      return k8s::dns1035_label_problems(name);
    case NameRule::kPathSegment:
      return k8s::path_segment_problems(name);
    case NameRule::kAddress:
      return looks_like_an_address(name) ? k8s::Problems{} : k8s::Problems{std::string(kBadAddress)};
    case NameRule::kSubdomain:
      break;
  }
  return k8s::dns1123_subdomain_problems(name);
}

// A prefix may end in what only the rest of the name makes valid.
std::string without_last_dash(std::string_view prefix) {
  std::string text(prefix);
  if (text.size() > 1 && text.ends_with('-')) {
    text.back() = 'a';
  }
  return text;
}

void check_annotations(Causes& causes, const Json* annotations) {
  if (annotations == nullptr) {
    return;
  }
  std::size_t size = 0;
  for (const auto& [key, value] : annotations->items()) {
    add_problems(causes, "metadata.annotations", key, k8s::annotation_key_problems(key));
    size += key.size() + (value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  }
  if (size > kAnnotationsMax) {
    causes.push_back(too_long_cause("metadata.annotations", kAnnotationsMax));
  }
}

void check_owner(Causes& causes, const Json& owner) {
  const std::string field = "metadata.ownerReferences";
  const k8s::GroupVersionKind kind = k8s::kind_of(text_in(owner, "apiVersion"), text_in(owner, "kind"));
  if (kind.version.empty()) {
    causes.push_back(invalid_cause(field + ".apiVersion", text_in(owner, "apiVersion"), "version must not be empty"));
  }
  for (const std::string_view part : {"kind", "name", "uid"}) {
    if (text_in(owner, part).empty()) {
      causes.push_back(invalid_cause(field + "." + std::string(part), "", "must not be empty"));
    }
  }
  if (kind.kind == "Event" && (kind.group.empty() || kind.group == "events.k8s.io")) {
    causes.push_back(invalid_cause(field, owner, k8s::to_string(kind) + " is disallowed from being an owner"));
  }
}

void check_owners(Causes& causes, const Json& metadata) {
  std::vector<std::string> controllers;
  each_object(metadata, "ownerReferences", [&](const Json& owner) {
    check_owner(causes, owner);
    if (is_true_in(owner, "controller")) {
      controllers.push_back(std::string(text_in(owner, "kind")) + "/" + std::string(text_in(owner, "name")));
    }
  });
  if (controllers.size() > 1) {
    causes.push_back(invalid_cause("metadata.ownerReferences", metadata["ownerReferences"],
                                   "Only one reference can have Controller set to true. Found \"true\" in references "
                                   "for " +
                                       controllers[0] + " and " + controllers[1]));
  }
}

// Names without a domain are Kubernetes' own.
void check_finalizers(Causes& causes, const KindInfo& kind, const Json& metadata) {
  constexpr std::array<std::string_view, 3> kStandard = {"kubernetes", "orphan", "foregroundDeletion"};
  const Json* const list = value_in(metadata, "finalizers");
  if (list == nullptr || !list->is_array()) {
    return;
  }
  std::set<std::string> names;
  for (const Json& finalizer : *list) {
    if (finalizer.is_string()) {
      const auto& name = finalizer.get_ref<const std::string&>();
      add_problems(causes, "metadata.finalizers", name, k8s::finalizer_name_problems(name));
      names.insert(name);
    }
  }
  if (names.contains("orphan") && names.contains("foregroundDeletion")) {
    causes.push_back(
        invalid_cause("metadata.finalizers", *list, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  if (kind.is_custom() || !kind.id.group.empty()) {  // only the core group asks for a domain
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& finalizer = (*list)[i];
    if (finalizer.is_string() && !contains(finalizer.get_ref<const std::string&>(), "/") &&
        std::ranges::find(kStandard, finalizer.get_ref<const std::string&>()) == kStandard.end()) {
      causes.push_back(invalid_cause("metadata.finalizers[" + std::to_string(i) + "]", finalizer,
                                     "name is neither a standard finalizer name nor is it fully qualified"));
    }
  }
}

void check_name(Causes& causes, const KindInfo& kind, const Json& metadata) {
  const NameRule rule = name_rule(kind);
  const std::string_view prefix = text_in(metadata, "generateName");
  if (!prefix.empty()) {
    add_problems(causes, "metadata.generateName", prefix, name_problems(rule, without_last_dash(prefix)));
  }
  const std::string_view name = text_in(metadata, "name");
  if (name.empty()) {
    causes.push_back(required_cause("metadata.name", "name or generateName is required"));
  } else {
    add_problems(causes, "metadata.name", name, name_problems(rule, name));
  }
  const std::string_view name_space = text_in(metadata, "namespace");
  if (!kind.is_namespaced) {
    if (!name_space.empty()) {
      causes.push_back(forbidden_cause("metadata.namespace", "not allowed on this type"));
    }
  } else if (name_space.empty()) {
    causes.push_back(required_cause("metadata.namespace"));
  } else {
    add_problems(causes, "metadata.namespace", name_space, k8s::dns1123_label_problems(name_space));
  }
}

}  // namespace

void check_labels(Causes& causes, const std::string& field, const Json* labels) {
  if (labels == nullptr || !labels->is_object()) {
    return;
  }
  for (const auto& [key, value] : labels->items()) {
    add_problems(causes, field, key, k8s::qualified_name_problems(key));
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      add_problems(causes, field, text, k8s::label_value_problems(text));
    }
  }
}

Causes validate_metadata(const KindInfo& kind, const Json& object) {
  Causes causes;
  const Json nothing = Json::object();
  const Json* metadata = object_in(object, "metadata");
  metadata = metadata == nullptr ? &nothing : metadata;
  check_name(causes, kind, *metadata);
  check_labels(causes, "metadata.labels", object_in(*metadata, "labels"));
  check_annotations(causes, object_in(*metadata, "annotations"));
  check_owners(causes, *metadata);
  check_finalizers(causes, kind, *metadata);
  return causes;
}

void check_metadata_update(Causes& causes, const Json& old, const Json& next) {
  const Json* const before = object_in(old, "metadata");
  const Json* const after = object_in(next, "metadata");
  if (before == nullptr || after == nullptr) {
    return;
  }
  // Whoever waits for an object to go must not get more to wait for.
  if (value_in(*before, "deletionTimestamp") != nullptr) {
    std::set<std::string> known;
    if (const Json* const list = value_in(*before, "finalizers"); list != nullptr && list->is_array()) {
      for (const Json& finalizer : *list) {
        known.insert(finalizer.is_string() ? finalizer.get<std::string>() : "");
      }
    }
    std::vector<std::string> added;
    if (const Json* const list = value_in(*after, "finalizers"); list != nullptr && list->is_array()) {
      for (const Json& finalizer : *list) {
        if (finalizer.is_string() && !known.contains(finalizer.get_ref<const std::string&>())) {
          added.push_back(quote(finalizer.get_ref<const std::string&>()));
        }
      }
    }
    if (!added.empty()) {
      causes.push_back(forbidden_cause("metadata.finalizers",
                                       "no new finalizers can be added if the object is being deleted, found new "
                                       "finalizers []string{" +
                                           join(added, ", ") + "}"));
    }
  }
  for (const std::string_view field : {"name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    add_if_changed(causes, "metadata." + std::string(field), value_in(*before, field), value_in(*after, field));
  }
}

}  // namespace landfall::sandbox
