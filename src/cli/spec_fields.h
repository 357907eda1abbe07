#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// What flags say, as fields of a spec: what says nothing is left out, as Velero's command line leaves it out.
void put_list(json::Json& spec, const char* field, const std::vector<std::string>& values);
void put_text(json::Json& spec, const char* field, const std::string& value);
void put_tristate(json::Json& spec, const char* field, std::optional<bool> value);

// --selector and --or-selector of what is backed up or restored.
struct SelectorFlags {
  std::string selector;
  std::string or_selector;
};
// `verb` is for the help: "Restore".
void add_selector_flags(const Command& command, SelectorFlags& flags, const std::string& verb);
// kInvalid where both are given, and for what is no selector.
Status put_selectors(json::Json& spec, const SelectorFlags& flags);

}  // namespace landfall::cli
