#include "cli/describe_parts.h"

#include <fmt/format.h>

#include "base/go_duration.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string painted(bool is_on, std::string_view code, const std::string& text, std::string_view end) {
  return is_on ? fmt::format("\x1b[{}m{}\x1b[{}m", code, text, end) : text;
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

const Json& spec_of(const Json& object) {
  static const Json kNothing = Json::object();
  const Json* spec = json::find(object, {"spec"});
  return spec == nullptr ? kNothing : *spec;
}

std::string text_at(const Json& object, const json::Path& path) {
  return terminal::printable(json::string_or(object, path, ""));
}

std::string list_or(const Json& spec, std::string_view field, std::string_view fallback) {
  const auto list = json::string_list_at(spec, {field});
  return list && !list->empty() ? terminal::printable(join(*list, ", ")) : std::string(fallback);
}

std::string tristate_text(const Json& spec, std::string_view field, std::string_view no, std::string_view yes,
                          std::string_view none) {
  const auto value = json::optional_bool_at(spec, {field});
  if (!value || !*value) return std::string(none);
  return std::string(**value ? yes : no);
}

std::string selector_text(const Json& spec) {
  return terminal::printable(k8s::format_label_selector(json::find(spec, {"labelSelector"})));
}

std::string or_selectors_text(const Json& spec) {
  const Json* selectors = json::find(spec, {"orLabelSelectors"});
  if (selectors == nullptr || !selectors->is_array() || selectors->empty()) return "<none>";
  std::vector<std::string> texts;
  for (const Json& selector : *selectors) texts.push_back(k8s::format_label_selector(&selector));
  return terminal::printable(join(texts, " or "));
}

std::string duration_text(const Json& spec, std::string_view field) {
  return format_go_duration(parse_go_duration(json::string_or(spec, {field}, "0s")).value_or(Duration(0)));
}

std::string reference_part(std::string_view name, const Json& spec, std::string_view field) {
  if (!json::has(spec, {field})) return "";
  return fmt::format("{}:\n\tType:\t{}\n\tName:\t{}\n", name, text_at(spec, {field, "kind"}),
                     text_at(spec, {field, "name"}));
}

std::string uploader_part(const Json& spec) {
  const auto parallel = json::int_or(spec, {"uploaderConfig", "parallelFilesUpload"}, 0);
  return parallel > 0 ? fmt::format("Uploader config:\n\tParallel files upload:\t{}\n", parallel) : "";
}

std::string words_text(const Json& exec, std::string_view field) {
  return terminal::printable(join(json::string_list_at(exec, {field}).value_or(std::vector<std::string>()), " "));
}

std::string apart(const std::string& part) { return part.empty() ? "" : "\n" + part; }

std::string validation_part(const Json& object, const Paint& paint) {
  const auto errors = json::string_list_at(object, {"status", "validationErrors"});
  if (!errors || errors->empty()) return "";
  std::string part = "Validation errors:";
  for (const std::string& error : *errors) part += "\t" + paint.red(terminal::printable(error)) + "\n";
  return part;
}

std::string time_or(std::optional<WallTime> time, std::string_view fallback) {
  return time ? format_go_time(*time) : std::string(fallback);
}

}  // namespace landfall::cli
