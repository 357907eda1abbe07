#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/global_flags.h"
#include "json/access.h"
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
// The spec of an object, or an empty one.
const json::Json& spec_of(const json::Json& object);
// A text of an object, safe to print; empty where there is none.
std::string text_at(const json::Json& object, const json::Path& path);
// Lists as Velero joins them; the fallback stands for an empty one.
std::string list_or(const json::Json& spec, std::string_view field, std::string_view fallback);
// Of a field that is true, false or not there.
std::string tristate_text(const json::Json& spec, std::string_view field, std::string_view no, std::string_view yes,
                          std::string_view none);
// "Label selector:" and "Or label selector:", as texts.
std::string selector_text(const json::Json& spec);
std::string or_selectors_text(const json::Json& spec);
// As Go prints it; "0s" where there is none.
std::string duration_text(const json::Json& spec, std::string_view field);
// "Resource policies:\n\tType:\t…\n\tName:\t…\n" of a reference to another object; empty where there is none.
std::string reference_part(std::string_view name, const json::Json& spec, std::string_view field);
// "Uploader config:" of a backup; empty where it says nothing.
std::string uploader_part(const json::Json& spec);
// A command's words.
std::string words_text(const json::Json& exec, std::string_view field);
// With a blank line before it, if there is anything.
std::string apart(const std::string& part);
// In red, one a line; empty where there are none.
std::string validation_part(const json::Json& object, const Paint& paint);
std::string time_or(std::optional<WallTime> time, std::string_view fallback);

}  // namespace landfall::cli
