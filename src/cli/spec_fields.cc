#include "cli/spec_fields.h"

#include <string_view>
#include <utility>

#include "json/json.h"
#include "k8s/label_selector_json.h"

namespace landfall::cli {

using json::Json;

void put_list(Json& spec, const char* field, const std::vector<std::string>& values) {
  if (!values.empty()) spec[field] = values;
}

void put_text(Json& spec, const char* field, const std::string& value) {
  if (!value.empty()) spec[field] = value;
}

void put_tristate(Json& spec, const char* field, std::optional<bool> value) {
  if (value) spec[field] = *value;
}

void add_selector_flags(const Command& command, SelectorFlags& flags, const std::string& verb) {
  command.flag("-l,--selector", flags.selector, verb + " only what has these labels");
  command.flag("--or-selector", flags.or_selector,
               verb + " what matches one of several selectors, with ' or ' between them");
}

Status put_selectors(Json& spec, const SelectorFlags& flags) {
  if (!flags.selector.empty() && !flags.or_selector.empty()) {
    return fail(Code::kInvalid, "--selector and --or-selector cannot both be given: choose one");
  }
  if (!flags.selector.empty()) {
    TRY_ASSIGN(spec["labelSelector"], "--selector", k8s::parse_label_selector_to_json(flags.selector));
  }
  if (flags.or_selector.empty()) return {};
  constexpr std::string_view kOr = " or ";
  Json selectors = Json::array();
  std::string_view rest = flags.or_selector;
  while (true) {
    const std::size_t end = rest.find(kOr);
    TRY_ASSIGN(Json selector, "--or-selector", k8s::parse_label_selector_to_json(rest.substr(0, end)));
    selectors.push_back(std::move(selector));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + kOr.size());
  }
  spec["orLabelSelectors"] = std::move(selectors);
  return {};
}

}  // namespace landfall::cli
