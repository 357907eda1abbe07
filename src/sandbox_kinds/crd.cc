#include "sandbox_kinds/crd.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

std::vector<std::string> texts_in(const Json& parent, std::string_view key) {
  std::vector<std::string> out;
  const Json* const list = value_in(parent, key);
  if (list != nullptr && list->is_array()) {
    for (const Json& element : *list) {
      if (element.is_string()) {
        out.push_back(element.get<std::string>());
      }
    }
  }
  return out;
}

std::vector<PrinterColumn> columns_of(const Json& version) {
  std::vector<PrinterColumn> columns;
  each_object(version, "additionalPrinterColumns", [&](const Json& column) {
    columns.push_back({.name = std::string(text_in(column, "name")),
                       .type = std::string(text_in(column, "type")),
                       .format = std::string(text_in(column, "format")),
                       .description = std::string(text_in(column, "description")),
                       .priority = static_cast<int>(json::int_or(column, {"priority"}, 0)),
                       .json_path = std::string(text_in(column, "jsonPath"))});
  });
  if (columns.empty()) {
    columns.push_back({.name = "Age", .type = "date", .json_path = ".metadata.creationTimestamp"});
  }
  return columns;
}

std::shared_ptr<const CrdDetails> details_of(const Json& crd, const Json& version) {
  auto details = std::make_shared<CrdDetails>();
  details->crd_name = json::string_or(crd, {"metadata", "name"}, "");
  details->printer_columns = columns_of(version);
  details->is_deprecated = is_true_in(version, "deprecated");
  details->deprecation_warning = text_in(version, "deprecationWarning");
  if (const Json* const scale = json::find(version, {"subresources", "scale"}); scale != nullptr) {
    details->has_scale = true;
    details->spec_replicas_path = text_in(*scale, "specReplicasPath");
    details->status_replicas_path = text_in(*scale, "statusReplicasPath");
    details->label_selector_path = text_in(*scale, "labelSelectorPath");
  }
  return details;
}

Result<KindInfo> kind_of_version(const Json& crd, const Json& version, const std::string& storage_version) {
  const Json& spec = crd["spec"];
  const Json& names = spec["names"];
  KindInfo kind;
  kind.id = {std::string(text_in(spec, "group")), std::string(text_in(version, "name")),
             std::string(text_in(names, "plural"))};
  kind.kind = text_in(names, "kind");
  kind.list_kind = text_in(names, "listKind");
  kind.singular = text_in(names, "singular");
  kind.is_namespaced = text_in(spec, "scope") == "Namespaced";
  kind.verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  kind.short_names = texts_in(names, "shortNames");
  kind.categories = texts_in(names, "categories");
  kind.storage = kind.id.group_resource();
  kind.storage_kind = {kind.id.group, storage_version, kind.kind};
  kind.has_generation = true;
  const auto details = details_of(crd, version);
  kind.has_status = json::has(version, {"subresources", "status"});
  if (details->has_scale) {
    kind.subresources.emplace_back("scale");
  }
  if (kind.has_status) {
    kind.subresources.emplace_back("status");
  }
  kind.crd = details;
  if (const Json* const schema = json::find(version, {"schema", "openAPIV3Schema"})) {
    TRY_ASSIGN(kind.schema, "version " + kind.id.version,
               CrdSchema::parse(*schema, is_true_in(spec, "preserveUnknownFields")));
  }
  return kind;
}

Json condition(std::string_view type, std::string_view reason, std::string_view message, const std::string& time) {
  return {{"type", type}, {"status", "True"}, {"lastTransitionTime", time}, {"reason", reason}, {"message", message}};
}

bool has_condition(const Json& status, std::string_view type) {
  bool found = false;
  each_object(status, "conditions", [&](const Json& condition) {
    found = found || (text_in(condition, "type") == type && text_in(condition, "status") == "True");
  });
  return found;
}

}  // namespace

Result<std::vector<KindInfo>> kinds_of_crd(const Json& crd) {
  const Json* const versions = json::find(crd, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array() || !json::object_at(crd, {"spec", "names"})) {
    return fail(Code::kInvalid, "the definition has no spec.versions or no spec.names");
  }
  std::string storage_version;
  for (const Json& version : *versions) {
    if (is_true_in(version, "storage")) {
      storage_version = text_in(version, "name");
    }
  }
  std::vector<KindInfo> kinds;
  for (const Json& version : *versions) {
    if (is_true_in(version, "served")) {
      TRY_ASSIGN(KindInfo kind, "", kind_of_version(crd, version, storage_version));
      kinds.push_back(std::move(kind));
    }
  }
  std::ranges::stable_sort(kinds, [](const KindInfo& a, const KindInfo& b) {
    return k8s::compare_versions(a.id.version, b.id.version) > 0;
  });
  return kinds;
}

void set_initial_crd_status(Json& crd) {
  Json stored;
  if (const Json* const spec = object_in(std::as_const(crd), "spec")) {
    each_object(*spec, "versions", [&](const Json& version) {
      if (is_true_in(version, "storage") && stored.is_null()) {
        stored = Json::array({text_in(version, "name")});
      }
    });
  }
  crd["status"] = {{"conditions", nullptr},
                   {"acceptedNames", {{"plural", ""}, {"kind", ""}}},
                   {"storedVersions", std::move(stored)}};
}

void add_stored_version(Json& crd) {
  const Json* const spec = object_in(std::as_const(crd), "spec");
  std::string name;
  if (spec != nullptr) {
    each_object(*spec, "versions", [&](const Json& version) {
      if (is_true_in(version, "storage")) {
        name = text_in(version, "name");
      }
    });
  }
  Json* const status = crd.is_object() ? make_object(crd, "status") : nullptr;
  if (status == nullptr || name.empty()) {
    return;
  }
  put_missing(*status, "storedVersions", Json::array());
  Json& stored = (*status)["storedVersions"];
  if (stored.is_array() && std::ranges::find(stored, Json(name)) == stored.end()) {
    stored.push_back(name);
  }
}

void establish_crd(Json& crd, const std::string& time) {
  Json* const status = crd.is_object() ? make_object(crd, "status") : nullptr;
  const Json* const names = json::find(std::as_const(crd), {"spec", "names"});
  if (status == nullptr || names == nullptr) {
    return;
  }
  (*status)["acceptedNames"] = *names;
  if (has_condition(*status, "Established") && has_condition(*status, "NamesAccepted")) {
    return;
  }
  (*status)["conditions"] =
      Json::array({condition("NamesAccepted", "NoConflicts", "no conflicts found", time),
                   condition("Established", "InitialNamesAccepted", "the initial names have been accepted", time)});
}

}  // namespace landfall::sandbox
