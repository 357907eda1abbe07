#include "cli/chosen_objects.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/confirm.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;

void add_choice_flags(const Command& command, ChoiceFlags& flags, const Noun& noun, const std::string& verb) {
  command.arguments("NAME", flags.names, fmt::format("Those to {}", verb));
  command.flag("--all", flags.all, fmt::format("{} all {}", verb, noun.plural));
  command.flag("-l,--selector", flags.selector, fmt::format("{} those with these labels", verb));
}

Result<std::vector<Json>> chosen_objects(const ObjectFinder& finder, const ChoiceFlags& flags,
                                         std::vector<Error>& missing) {
  const int ways = (flags.names.empty() ? 0 : 1) + (flags.all ? 1 : 0) + (flags.selector.empty() ? 0 : 1);
  if (ways != 1) return fail(Code::kInvalid, "say which: names, --all or --selector, exactly one of them");
  if (flags.names.empty()) return finder.some({}, flags.selector);
  std::vector<Json> found;
  for (const std::string& name : flags.names) {
    auto object = finder.one(name);
    if (object) {
      found.push_back(*std::move(object));
    } else if (object.error().code() == Code::kNotFound) {
      missing.push_back(std::move(object).error());
    } else {
      return fail("", std::move(object).error());
    }
  }
  return found;
}

namespace {

struct Flags {
  ChoiceFlags choice;
  bool confirm = false;
};

Status run_delete(const DeleteCommand& command, const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder finder(cluster->client(), command.noun, global.namespace_name, context);
  std::vector<Error> errors;
  TRY_ASSIGN(const std::vector<Json> found, "", chosen_objects(finder, flags.choice, errors));
  if (found.empty() && (errors.empty() || (context.called_as_velero() && !command.insists_as_velero))) {
    return context.out.write(fmt::format("No {} found\n", command.noun.plural));
  }
  if (!found.empty() && !flags.confirm) {
    TRY_ASSIGN(const bool is_wanted, "", confirm(context));
    // Velero ends so, too: the user was asked and has decided.
    if (!is_wanted) return {};
  }
  for (const Json& object : found) {
    Status removed = command.remove(cluster->client(), object, global, context);
    if (!removed) errors.push_back(std::move(removed).error());
    if (context.stop.stop_requested()) break;
  }
  if (errors.empty()) return {};
  std::vector<std::string> texts;
  texts.reserve(errors.size());
  for (const Error& error : errors) texts.push_back(error.message());
  return fail(errors.front().code(), join(texts, "; "));
}

}  // namespace

Command add_delete(const Command& group, const std::string& word, DeleteCommand command) {
  const auto flags = std::make_shared<Flags>();
  const Command leaf = group.leaf(word, command.help);
  add_choice_flags(leaf, flags->choice, command.noun, "delete");
  leaf.flag("--confirm", flags->confirm, "Do not ask");
  leaf.action([flags, command = std::move(command)](const Context& context, const GlobalFlags& global) {
    return run_delete(command, *flags, global, context);
  });
  return leaf;
}

}  // namespace landfall::cli
