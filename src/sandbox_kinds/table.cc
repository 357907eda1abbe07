#include "sandbox_kinds/table.h"

#include <string>
#include <string_view>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/printer_path.h"
#include "sandbox_kinds/printer_values.h"
#include "sandbox_kinds/table_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

const TablePrinter* printer_of(const KindInfo& kind) {
  if (kind.is_custom()) {
    return nullptr;
  }
  for (const auto printers : {pod_printers(), core_printers(), workload_printers(), cluster_printers()}) {
    for (const TablePrinter& printer : printers) {
      if (printer.group == kind.id.group && printer.kind == kind.kind) {
        return &printer;
      }
    }
  }
  return nullptr;
}

Json column(std::string_view name, std::string_view type, std::string_view format, std::string_view description,
            int priority) {
  return {{"name", name}, {"type", type}, {"format", format}, {"description", description}, {"priority", priority}};
}

Json name_column(int priority) { return column("Name", "string", "name", "The name of the object.", priority); }

// "Desired:integer", "Node*", "#Name*": see TablePrinter.
Json column_from(std::string_view text) {
  const bool is_wide = text.ends_with('*');
  text.remove_suffix(is_wide ? 1 : 0);
  if (text.starts_with('#')) {
    return name_column(is_wide ? 1 : 0);
  }
  const auto parts = cut(text, ':');
  return column(parts ? parts->first : text, parts ? parts->second : "string", "", "", is_wide ? 1 : 0);
}

Json custom_columns(const CrdDetails& details) {
  Json columns = Json::array({name_column(0)});
  for (const PrinterColumn& own : details.printer_columns) {
    const std::string description = own.description.empty()
                                        ? "Custom resource definition column (in JSONPath format): " + own.json_path
                                        : own.description;
    columns.push_back(column(own.name, own.type, own.format, description, own.priority));
  }
  return columns;
}

// A value in a column of texts: what is no text is shown as JSON.
Json text_cell(const Json& value) { return value.is_string() ? value : Json(json::dump_go(value)); }

Json number_cell(const Json& value, bool is_integer) {
  if (!value.is_number()) {
    return nullptr;
  }
  return is_integer && value.is_number_float() ? Json(static_cast<std::int64_t>(value.get<double>())) : value;
}

Json custom_cell(const PrinterColumn& column, const Json& object, WallTime now) {
  const auto found = find_by_path(object, column.json_path);
  if (!found || found->empty()) {
    return nullptr;
  }
  const Json& value = *found->front();
  if (column.type == "integer" || column.type == "number") {
    return number_cell(value, column.type == "integer");
  }
  if (column.type == "boolean") {
    return value.is_boolean() ? value : Json(nullptr);
  }
  if (column.type == "date") {
    const bool is_time = value.is_string() && parse_rfc3339(value.get_ref<const std::string&>());
    return is_time ? age_text(value.get_ref<const std::string&>(), now) : "<invalid>";
  }
  return text_cell(value);
}

}  // namespace

Json table_columns(const KindInfo& kind) {
  if (kind.is_custom()) {
    return custom_columns(*kind.crd);
  }
  const TablePrinter* const printer = printer_of(kind);
  if (printer == nullptr) {
    return Json::array({name_column(0), column("Created At", "date", "", "When the object was created.", 0)});
  }
  Json columns = Json::array();
  if (printer->columns.find('#') == std::string_view::npos) {
    columns.push_back(name_column(0));
  }
  for (const std::string_view text : split(printer->columns, '|')) {
    columns.push_back(column_from(text));
  }
  return columns;
}

Json table_row_cells(const KindInfo& kind, const Json& object, WallTime now) {
  Json cells = Json::array();
  const std::string name = json::string_or(object, {"metadata", "name"}, "");
  if (kind.is_custom()) {
    cells.push_back(name);
    for (const PrinterColumn& column : kind.crd->printer_columns) {
      cells.push_back(custom_cell(column, object, now));
    }
    return cells;
  }
  const TablePrinter* const printer = printer_of(kind);
  if (printer == nullptr) {
    cells.push_back(name);
    const Json* const created = json::find(object, {"metadata", "creationTimestamp"});
    cells.push_back(created == nullptr ? Json(nullptr) : *created);
    return cells;
  }
  if (printer->columns.find('#') == std::string_view::npos) {
    cells.push_back(name);
  }
  printer->print(object, now, cells);
  return cells;
}

}  // namespace landfall::sandbox
