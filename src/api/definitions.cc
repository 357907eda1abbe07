#include "api/definitions.h"

#include <algorithm>

#include "api/definition.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::api {

using json::Json;

namespace {

std::vector<Definition> all_definitions() {
  return {backup_definition(),
          backup_repository_definition(),
          backup_storage_location_definition(),
          delete_backup_request_definition(),
          download_request_definition(),
          pod_volume_backup_definition(),
          pod_volume_restore_definition(),
          restore_definition(),
          schedule_definition(),
          server_status_request_definition(),
          volume_plugin_backup_definition(),
          volume_plugin_restore_definition(),
          volume_snapshot_location_definition(),
          data_download_definition(),
          data_upload_definition()};
}

// Of the only version; null when there is none.
const Json* schema_of(const Json& definition) {
  return json::find(definition, {"spec", "versions", "0", "schema", "openAPIV3Schema"});
}

// Everything about a field but what is below it.
std::string words_about(const Json& schema, bool required) {
  std::string words = json::string_or(schema, {"type"}, "any");
  for (const auto& [key, value] : schema.items()) {
    if (key == "format") words += " " + json::string_or(value, {}, "");
    if (key == "nullable") words += " nullable";
    if (key == "default") words += " default " + json::dump(value);
    if (key == "minItems") words += " at least " + json::dump(value);
    if (key == "enum") words += " one of " + json::dump(value);
    if (key.ends_with("-type")) words += " " + json::string_or(value, {}, "");
    if (key == "x-kubernetes-preserve-unknown-fields") words += " keeps unknown fields";
  }
  return required ? words + " required" : words;
}

bool is_required(const Json& schema, const std::string& name) {
  const Json* required = json::find(schema, {"required"});
  return required != nullptr && std::ranges::find(*required, Json(name)) != required->end();
}

// As deep as the document is, which its reader has limited.
void list_fields(const Json& schema, const std::string& path, std::vector<std::string>& lines) {
  if (const Json* properties = json::find(schema, {"properties"})) {
    for (const auto& [name, field] : properties->items()) {
      const std::string below = path.empty() ? name : path + "." + name;
      lines.push_back(below + " " + words_about(field, is_required(schema, name)));
      list_fields(field, below, lines);
    }
  }
  for (const auto& [key, mark] : {std::pair{"items", "[]"}, std::pair{"additionalProperties", "{}"}}) {
    if (const Json* part = json::find(schema, {key})) {
      lines.push_back(path + mark + " " + words_about(*part, false));
      list_fields(*part, path + mark, lines);
    }
  }
}

// Walks ours, so that what was found may be anything.
void list_missing(const Json& ours, const Json& found, const std::string& path, std::vector<std::string>& missing) {
  if (json::bool_or(found, {"x-kubernetes-preserve-unknown-fields"}, false)) return;
  if (const Json* properties = json::find(ours, {"properties"})) {
    for (const auto& [name, field] : properties->items()) {
      const std::string below = path.empty() ? name : path + "." + name;
      if (const Json* same = json::find(found, {"properties", name})) {
        list_missing(field, *same, below, missing);
      } else {
        missing.push_back(below);
      }
    }
  }
  const Json* element = json::find(ours, {"items"});
  const Json* same = json::find(found, {"items"});
  if (element != nullptr && same != nullptr) list_missing(*element, *same, path + "[]", missing);
}

}  // namespace

std::vector<Json> custom_resource_definitions() {
  std::vector<Json> documents;
  for (const Definition& definition : all_definitions()) documents.push_back(definition.to_json());
  return documents;
}

std::vector<std::string> schema_fields(const Json& definition) {
  std::vector<std::string> lines;
  if (const Json* schema = schema_of(definition)) list_fields(*schema, "", lines);
  return lines;
}

std::vector<std::string> missing_fields(const Json& found) {
  const std::string name = json::string_or(found, {"metadata", "name"}, "");
  std::vector<std::string> missing;
  for (const Definition& definition : all_definitions()) {
    if (definition.kind.definition() != name) continue;
    const Json ours = definition.to_json();
    const Json* schema = schema_of(found);
    list_missing(*schema_of(ours), schema == nullptr ? Json::object() : *schema, "", missing);
  }
  return missing;
}

}  // namespace landfall::api
