#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/find_objects.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// Which objects a command that changes them is for: exactly one of names, --all and --selector.
struct ChoiceFlags {
  std::vector<std::string> names;
  bool all = false;
  std::string selector;
};
// `verb` is for the help: "delete".
void add_choice_flags(const Command& command, ChoiceFlags& flags, const Noun& noun, const std::string& verb);

// Those objects. Names that are not there are errors of their own, so that the others are worked on: `missing` gets
// them.
Result<std::vector<json::Json>> chosen_objects(const ObjectFinder& finder, const ChoiceFlags& flags,
                                               std::vector<Error>& missing);

// One `delete` command.
struct DeleteCommand {
  Noun noun;
  std::string help;
  // Deletes one, or asks for it, and says so on the output.
  std::function<Status(kube::Client& client, const json::Json& object, const GlobalFlags& global,
                       const Context& context)>
      remove;
  // Velero's command is content with names that are not there, but for some kinds.
  bool insists_as_velero = false;
};
// Adds it with the choice and --confirm. Goes on after one that fails; the command then fails.
Command add_delete(const Command& group, const std::string& word, DeleteCommand command);

}  // namespace landfall::cli
