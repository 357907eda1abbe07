#include "api/definition.h"

#include <utility>

#include "api/definitions.h"
#include "api/labels.h"
#include "base/strings.h"
#include "json/json.h"

namespace landfall::api {

using json::Json;

namespace {

Json names_of(const Definition& definition) {
  const std::string kind(definition.kind.name);
  Json names = {{"kind", kind},
                {"listKind", kind + "List"},
                {"plural", std::string(definition.kind.plural)},
                {"singular", to_lower(kind)}};
  if (!definition.short_name.empty()) names["shortNames"] = {std::string(definition.short_name)};
  return names;
}

Json column_json(const Column& column) {
  Json result = {{"name", column.name}, {"type", column.type}, {"jsonPath", column.path}};
  if (column.type == "integer") result["format"] = "int64";
  if (column.priority != 0) result["priority"] = column.priority;
  return result;
}

}  // namespace

Column age_column() { return {"Age", "date", ".metadata.creationTimestamp"}; }

Column bytes_column(std::string name, std::string path, int priority) {
  return {std::move(name), "integer", std::move(path), priority};
}

std::vector<Column> transfer_columns() {
  return {{"Status", "string", ".status.phase"},
          {"Started", "date", ".status.startTimestamp"},
          bytes_column("Bytes Done", ".status.progress.bytesDone"),
          bytes_column("Total Bytes", ".status.progress.totalBytes")};
}

Json Definition::to_json() const {
  const Schema whole =
      object({{"apiVersion", text()}, {"kind", text()}, {"metadata", object({})}, {"spec", spec}, {"status", status}})
          .help(help);
  // No subresources: Velero's clients and its sync write the status with the object.
  Json version = {{"name", std::string(kind.version)},
                  {"served", true},
                  {"storage", true},
                  {"schema", {{"openAPIV3Schema", whole.to_json()}}}};
  for (const Column& column : columns) version["additionalPrinterColumns"].push_back(column_json(column));

  Json result = {{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}};
  result["metadata"] = {{"name", kind.definition()}};
  result["metadata"]["labels"][std::string(label::kComponent)] = "velero";
  result["metadata"]["annotations"][std::string(annotation::kDefinitions)] = std::string(kDefinitionsVersion);
  result["spec"] = {{"group", std::string(kGroup)}, {"names", names_of(*this)}, {"scope", "Namespaced"}};
  result["spec"]["versions"].push_back(std::move(version));
  return result;
}

}  // namespace landfall::api
