#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/global_flags.h"
#include "json/json_fwd.h"

// Pieces of Velero's `describe` output, before terminal::align_tabs(). Texts from objects pass terminal::printable().
namespace landfall::cli {

// Colours, or none.
class Paint {
 public:
  explicit Paint(bool is_on) : is_on_(is_on) {}
  std::string bold(const std::string& text) const;
  std::string green(const std::string& text) const;
  std::string red(const std::string& text) const;

 private:
  bool is_on_;
};
// As the flag or the client configuration says; else on a terminal, and always when called as `velero`, as that one.
bool wants_colors(const GlobalFlags& global, const Context& context);

// Name, namespace, labels and annotations.
std::string metadata_part(const json::Json& object, const Paint& paint);
// "Labels:\ta=b\n\tc=d\n", or "<none>".
std::string map_part(std::string_view name, const json::Json* map);
// Lists as Velero joins them; the fallback stands for an empty one.
std::string list_or(const json::Json& object, std::string_view field, std::string_view fallback);
// Of a field of spec that is true, false or not there.
std::string tristate_text(const json::Json& object, std::string_view field, std::string_view no, std::string_view yes,
                          std::string_view none);
// "Warnings:" or "Errors:" of a results file.
std::string result_part(std::string_view name, const json::Json& result);
std::string time_or(std::optional<WallTime> time, std::string_view fallback);

}  // namespace landfall::cli
