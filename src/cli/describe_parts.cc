#include "cli/describe_parts.h"

#include <fmt/format.h>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string painted(bool is_on, std::string_view code, const std::string& text, std::string_view end) {
  return is_on ? fmt::format("\x1b[{}m{}\x1b[{}m", code, text, end) : text;
}

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

}  // namespace

std::string Paint::bold(const std::string& text) const { return painted(is_on_, "1", text, "22"); }
std::string Paint::green(const std::string& text) const { return painted(is_on_, "32", text, "0"); }
std::string Paint::red(const std::string& text) const { return painted(is_on_, "31", text, "0"); }

bool wants_colors(const GlobalFlags& global, const Context& context) {
  if (!context.environment.get_or("NO_COLOR", "").empty()) return false;
  return global.colorized.value_or(context.out_terminal.is_terminal || context.called_as_velero());
}

std::string metadata_part(const Json& object, const Paint& paint) {
  const k8s::ObjectView view(object);
  return fmt::format("Name:\t{}\nNamespace:\t{}\n", paint.bold(terminal::printable(view.name())),
                     terminal::printable(view.name_space())) +
         map_part("Labels", json::find(object, {"metadata", "labels"})) +
         map_part("Annotations", json::find(object, {"metadata", "annotations"}));
}

std::string map_part(std::string_view name, const Json* map) {
  std::string part = fmt::format("{}:\t", name);
  const json::StringMap values = map == nullptr ? json::StringMap() : k8s::StringMapView(map).copy();
  if (values.empty()) return part + "<none>\n";
  bool is_first = true;
  for (const auto& [key, value] : values) {
    part += (is_first ? "" : "\t") + terminal::printable(key + "=" + value) + "\n";
    is_first = false;
  }
  return part;
}

std::string list_or(const Json& object, std::string_view field, std::string_view fallback) {
  const auto list = json::string_list_at(object, {"spec", field});
  return list && !list->empty() ? terminal::printable(join(*list, ", ")) : std::string(fallback);
}

std::string tristate_text(const Json& object, std::string_view field, std::string_view no, std::string_view yes,
                          std::string_view none) {
  const auto value = json::optional_bool_at(object, {"spec", field});
  if (!value || !*value) return std::string(none);
  return std::string(**value ? yes : no);
}

std::string result_part(std::string_view name, const Json& result) {
  std::string part = fmt::format("{}:\n", name);
  part += slice_part("\t", "Velero", json::find(result, {"velero"}));
  part += slice_part("\t", "Cluster", json::find(result, {"cluster"}));
  const Json* namespaces = json::find(result, {"namespaces"});
  if (namespaces == nullptr || !namespaces->is_object() || namespaces->empty()) {
    return part + "\tNamespaces: <none>\n";
  }
  part += "\tNamespaces:\n";
  for (const auto& [name_space, texts] : namespaces->items()) part += slice_part("\t\t", name_space, &texts);
  return part;
}

std::string time_or(std::optional<WallTime> time, std::string_view fallback) {
  return time ? format_go_time(*time) : std::string(fallback);
}

}  // namespace landfall::cli
