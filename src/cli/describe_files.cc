#include "cli/describe_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "api/status.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "json/access.h"
#include "json/json.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

// Velero puts the indent before "<none>" once more.
std::string slice_part(std::string_view indent, std::string_view name, const Json* texts) {
  std::string part = fmt::format("{}{}:\t", indent, terminal::printable(name));
  if (texts == nullptr || !texts->is_array() || texts->empty()) return part + std::string(indent) + "<none>\n";
  bool is_first = true;
  for (const Json& text : *texts) {
    if (!is_first) part += std::string(indent) + "\t";
    part += terminal::printable(json::string_or(text, {}, "")) + "\n";
    is_first = false;
  }
  return part;
}

// "pods shop/web", "deployments.apps shop/web"
std::string identifier_text(const Json& identifier) {
  const std::string group = text_at(identifier, {"Group"});
  return fmt::format("{}{} {}/{}", text_at(identifier, {"Resource"}), group.empty() ? "" : "." + group,
                     text_at(identifier, {"Namespace"}), text_at(identifier, {"Name"}));
}

std::string items_to_update_part(const Json& operation) {
  const Json* items = json::find(operation, {"spec", "postOperationItems"});
  if (items == nullptr || !items->is_array() || items->empty()) return "";
  std::string part = "\t\tItems to Update:\n";
  for (const Json& item : *items) part += fmt::format("\t\t\t{}\n", identifier_text(item));
  return part;
}

std::string operation_part(std::string_view noun, const Json& operation) {
  const auto status = [&](std::string_view field) { return text_at(operation, {"status", field}); };
  const Json* identifier = json::find(operation, {"spec", "resourceIdentifier"});
  const std::string action = to_lower(noun) + "ItemAction";
  std::string part =
      fmt::format("\tOperation for {}:\n", identifier_text(identifier == nullptr ? Json::object() : *identifier));
  part += fmt::format("\t\t{} Item Action Plugin:\t{}\n\t\tOperation ID:\t{}\n", noun,
                      text_at(operation, {"spec", action}), text_at(operation, {"spec", "operationID"}));
  part += items_to_update_part(operation) + fmt::format("\t\tPhase:\t{}\n", status("phase"));
  if (const auto error = status("error"); !error.empty()) part += fmt::format("\t\tOperation Error:\t{}\n", error);
  const auto total = json::int_or(operation, {"status", "nTotal"}, 0);
  const auto done = json::int_or(operation, {"status", "nCompleted"}, 0);
  if (total > 0 || done > 0) {
    part += fmt::format("\t\tProgress:\t{} of {} complete ({})\n", done, total, status("operationUnits"));
  }
  if (const auto text = status("description"); !text.empty()) {
    part += fmt::format("\t\tProgress description:\t{}\n", text);
  }
  for (const auto& [field, name] :
       {std::pair("created", "Created"), std::pair("started", "Started"), std::pair("updated", "Updated")}) {
    const auto time = parse_rfc3339(json::string_or(operation, {"status", field}, ""));
    if (time) part += fmt::format("\t\t{}:\t{}\n", name, format_go_time(*time));
  }
  return part;
}

}  // namespace

std::string result_part(std::string_view name, const Json* result) {
  const Json nothing = Json::object();
  if (result == nullptr) result = &nothing;
  std::string part = fmt::format("{}:\n", name);
  part += slice_part("\t", "Velero", json::find(*result, {"velero"}));
  part += slice_part("\t", "Cluster", json::find(*result, {"cluster"}));
  const Json* namespaces = json::find(*result, {"namespaces"});
  if (namespaces == nullptr || !namespaces->is_object() || namespaces->empty()) {
    return part + "\tNamespaces: <none>\n";
  }
  part += "\tNamespaces:\n";
  for (const auto& [name_space, texts] : namespaces->items()) part += slice_part("\t\t", name_space, &texts);
  return part;
}

std::string operations_part(std::string_view noun, const Json& object, bool details, const DescribedFile& file) {
  const std::string prefix = to_lower(noun) + "ItemOperations";
  const auto count = [&](std::string_view what) { return api::status_count(object, prefix + std::string(what)); };
  const std::int64_t attempted = count("Attempted");
  if (attempted == 0) return "";
  if (!details) {
    return fmt::format(
        "{} Item Operations:\t{} of {} completed successfully, {} failed (specify --details for more information)\n",
        noun, count("Completed"), attempted, count("Failed"));
  }
  if (!file.document || !file.document->is_array()) {
    return fmt::format("{} Item Operations:\t<error getting operation info: {}>\n", noun, file.why_not());
  }
  std::string part = fmt::format("{} Item Operations:\n", noun);
  for (const Json& operation : *file.document) part += operation_part(noun, operation);
  return part;
}

std::string resource_list_part(std::string_view noun, const DescribedFile& file) {
  const std::string list = to_lower(noun) + " resource list";
  if (!file.error.empty()) return fmt::format("Resource List:\t<error getting {}: {}>\n", list, file.why_not());
  if (!file.document || !file.document->is_object()) return fmt::format("Resource List:\t<{} not found>\n", list);
  std::string part = "Resource List:\n";
  for (const auto& [kind, names] : file.document->items()) {
    part += fmt::format("\t{}:\n", terminal::printable(kind));
    if (!names.is_array()) continue;
    for (const Json& name : names) part += fmt::format("\t\t- {}\n", text_at(name, {}));
  }
  return part;
}

}  // namespace landfall::cli
