#include "sandbox_kinds/openapi.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <vector>

#include "base/digest.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr const char* kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

std::string document_path(const k8s::GroupVersion& api) {
  return api.group.empty() ? "api/" + api.version : "apis/" + api.group + "/" + api.version;
}

std::string reversed_domain(std::string_view group) {
  std::vector<std::string_view> parts = split(group, '.');
  std::ranges::reverse(parts);
  return join(parts, ".");
}

// "com.example.library.v1.Book"; built-in kinds are named as in Kubernetes, where clients look for them.
std::string schema_name(const KindInfo& kind) {
  if (kind.is_custom()) {
    return reversed_domain(kind.id.group) + "." + kind.id.version + "." + kind.kind;
  }
  const std::string_view group = kind.id.group.empty() ? "core" : split(kind.id.group, '.').front();
  return "io.k8s.api." + std::string(group) + "." + kind.id.version + "." + kind.kind;
}

Json kind_id(const KindInfo& kind) {
  return {{"group", kind.id.group}, {"version", kind.id.version}, {"kind", kind.kind}};
}

Json text_schema(std::string_view description) { return {{"type", "string"}, {"description", description}}; }

Json text_map(std::string_view description) {
  return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}, {"description", description}};
}

Json metadata_schema() {
  Json properties = {
      {"annotations", text_map("Free notes on the object, not used for selection.")},
      {"creationTimestamp", text_schema("When the server created the object.")},
      {"deletionGracePeriodSeconds", {{"type", "integer"}, {"format", "int64"}}},
      {"deletionTimestamp", text_schema("When the object is going to be gone; set by a deletion.")},
      {"finalizers", {{"type", "array"}, {"items", {{"type", "string"}}}}},
      {"generateName", text_schema("A prefix from which the server makes a name.")},
      {"generation", {{"type", "integer"}, {"format", "int64"}}},
      {"labels", text_map("Keys and values by which objects are selected.")},
      {"managedFields", {{"type", "array"}, {"items", {{"type", "object"}}}}},
      {"name", text_schema("The name, unique within its kind and namespace.")},
      {"namespace", text_schema("The namespace that the object is in.")},
      {"ownerReferences", {{"type", "array"}, {"items", {{"type", "object"}}}}},
      {"resourceVersion", text_schema("Changes with every write of the object.")},
      {"selfLink", text_schema("Not used any more.")},
      {"uid", text_schema("Names this object for all time.")},
  };
  return {{"type", "object"}, {"description", "What every object has."}, {"properties", std::move(properties)}};
}

Json kind_schema(const KindInfo& kind, std::string_view reference_prefix) {
  Json schema = kind.schema ? kind.schema->source() : Json{{"type", "object"}};
  if (!schema.contains("description")) {
    schema["description"] = kind.is_custom() ? "" : "A built-in kind; the sandbox does not describe its fields.";
  }
  Json& properties = schema["properties"];
  if (!properties.is_object()) {
    properties = Json::object();
  }
  properties["apiVersion"] = text_schema("The group and version of this form of the object.");
  properties["kind"] = text_schema("The kind of the object.");
  properties["metadata"] = {{"description", "What every object has."},
                            {"allOf", Json::array({{{"$ref", std::string(reference_prefix) + kMeta}}})}};
  schema["x-kubernetes-group-version-kind"] = Json::array({kind_id(kind)});
  return schema;
}

Json query_parameter(std::string_view name, bool is_v3) {
  Json parameter = {{"name", name}, {"in", "query"}};
  if (is_v3) {
    parameter["schema"] = {{"type", "string"}};
  } else {
    parameter["type"] = "string";
  }
  return parameter;
}

// What kubectl looks for before it sends ?fieldValidation= and ?dryRun=.
Json write_parameters(bool is_v3) {
  Json parameters = Json::array();
  for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation", "force"}) {
    parameters.push_back(query_parameter(name, is_v3));
  }
  return parameters;
}

Json operation(const KindInfo& kind, std::string_view action, bool is_v3) {
  Json body = {{"x-kubernetes-action", action},
               {"x-kubernetes-group-version-kind", kind_id(kind)},
               {"responses", {{"200", {{"description", "OK"}}}}}};
  if (action == "patch" || action == "post" || action == "put") {
    body["parameters"] = write_parameters(is_v3);
  }
  // The strategic merge patch of built-in kinds is not announced: a client that sees it reads the merge keys from the
  // schemas, which are not here, instead of those it knows itself.
  if (action == "patch" && is_v3) {
    const Json any = {{"schema", {{"type", "object"}}}};
    body["requestBody"] = {{"content",
                            {{"application/apply-patch+yaml", any},
                             {"application/json-patch+json", any},
                             {"application/merge-patch+json", any}}}};
  }
  return body;
}

void add_paths(const KindInfo& kind, bool is_v3, Json& paths) {
  const std::string base = "/" + document_path(kind.id.group_version()) +
                           (kind.is_namespaced ? "/namespaces/{namespace}/" : "/") + kind.id.resource;
  const auto offers = [&kind](std::string_view verb) { return has_verb(kind, verb); };
  if (offers("list")) {
    paths[base]["get"] = operation(kind, "list", is_v3);
  }
  if (offers("create")) {
    paths[base]["post"] = operation(kind, "post", is_v3);
  }
  const std::string one = base + "/{name}";
  for (const auto& [verb, method] : std::initializer_list<std::pair<std::string_view, const char*>>{
           {"get", "get"}, {"update", "put"}, {"patch", "patch"}, {"delete", "delete"}}) {
    if (offers(verb)) {
      paths[one][method] = operation(kind, method, is_v3);
    }
  }
}

Json info() { return {{"title", "Kubernetes"}, {"version", "v1.34.4"}}; }

}  // namespace

Json openapi_v3_index(Kinds kinds) {
  std::set<std::string> documents;
  for (const KindInfo* const kind : kinds) {
    documents.insert(document_path(kind->id.group_version()));
  }
  Json paths = Json::object();
  for (const std::string& path : documents) {
    const auto document = openapi_v3_document(kinds, path);
    const std::string hash = sha256_hex(document ? json::dump(*document) : "");
    paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash}};
  }
  return {{"paths", std::move(paths)}};
}

std::optional<Json> openapi_v3_document(Kinds kinds, std::string_view path) {
  Json paths = Json::object();
  Json schemas = Json::object();
  for (const KindInfo* const kind : kinds) {
    if (document_path(kind->id.group_version()) == path) {
      add_paths(*kind, true, paths);
      schemas[schema_name(*kind)] = kind_schema(*kind, "#/components/schemas/");
    }
  }
  if (schemas.empty()) {
    return std::nullopt;
  }
  schemas[kMeta] = metadata_schema();
  return Json{{"openapi", "3.0.0"},
              {"info", info()},
              {"paths", std::move(paths)},
              {"components", {{"schemas", std::move(schemas)}}}};
}

Json openapi_v2(Kinds kinds) {
  Json paths = Json::object();
  Json definitions = Json::object();
  for (const KindInfo* const kind : kinds) {
    add_paths(*kind, false, paths);
    definitions[schema_name(*kind)] = kind_schema(*kind, "#/definitions/");
  }
  definitions[kMeta] = metadata_schema();
  return {{"swagger", "2.0"}, {"info", info()}, {"paths", std::move(paths)}, {"definitions", std::move(definitions)}};
}

std::string openapi_v2_protobuf() {
  // A field of bytes: its number and wire type, its length, its content. All of them are short.
  const auto field = [](int number, std::string_view content) {
    constexpr int kBytes = 2;
    return std::string{static_cast<char>(number << 3 | kBytes), static_cast<char>(content.size())}.append(content);
  };
  const Json about = info();
  const std::string title = field(1, json::string_or(about, {"title"}, ""));
  const std::string version = field(2, json::string_or(about, {"version"}, ""));
  return field(1, "2.0") + field(2, title + version) + field(8, "");  // swagger, info, paths
}

}  // namespace landfall::sandbox
