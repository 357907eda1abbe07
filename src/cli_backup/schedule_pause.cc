#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cli/chosen_objects.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli_backup/schedule_commands.h"
#include "cli_backup/schedule_flags.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  bool pauses = true;
  ChoiceFlags choice;
  std::optional<std::string> skip_immediately;
};

Status change(const kube::Resource& schedules, const Json& schedule, bool pauses, std::optional<bool> skips,
              const Context& context) {
  const k8s::ObjectView view(schedule);
  const std::string name(view.name());
  const std::string done = pauses ? "paused" : "unpaused";
  if (json::bool_or(schedule, {"spec", "paused"}, false) == pauses) {
    return context.out.write("Schedule " + name + " is already " + done + ", skip\n");
  }
  // As Velero writes it: what is not paused says nothing of it. Null takes a field away.
  Json spec = {{"paused", pauses ? Json(true) : Json(nullptr)}};
  if (skips) spec["skipImmediately"] = *skips;
  // Velero forgets what the schedule said of it.
  if (!skips && context.called_as_velero()) spec["skipImmediately"] = nullptr;
  // By its UID: one that was made anew under this name is not the one that was looked at.
  const Json patch = {{"metadata", {{"uid", std::string(view.uid())}}}, {"spec", spec}};
  TRY("schedule " + name,
      schedules.in(std::string(view.name_space())).patch(name, kube::PatchType::kMerge, patch, context.stop));
  return context.out.write("Schedule " + name + " " + done + " successfully\n");
}

Status run_pause(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto skips, "", read_skip_immediately(flags.skip_immediately));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  // Velero looks into every namespace when it is given no names.
  const bool spans_all = context.called_as_velero() && flags.choice.names.empty();
  const ObjectFinder finder(cluster->client(), kSchedules, spans_all ? "" : global.namespace_name, context);
  std::vector<Error> errors;
  TRY_ASSIGN(const std::vector<Json> found, "", chosen_objects(finder, flags.choice, errors));
  if (found.empty() && (errors.empty() || context.called_as_velero())) {
    return context.out.write("No schedules found\n");
  }
  for (const Json& schedule : found) {
    Status changed = change(finder.resource(), schedule, flags.pauses, skips, context);
    if (changed) continue;
    errors.push_back(std::move(changed).error());
    if (context.called_as_velero() || context.stop.stop_requested()) break;
  }
  if (errors.empty()) return {};
  std::vector<std::string> texts;
  texts.reserve(errors.size());
  for (const Error& error : errors) texts.push_back(error.message());
  return fail(errors.front().code(), join(texts, "; "));
}

Command add(const Command& group, const std::string& word, bool pauses) {
  const auto flags = std::make_shared<Flags>();
  flags->pauses = pauses;
  const Command command =
      group.leaf(word, pauses ? "Let schedules make no backups for now" : "Let paused schedules make backups again");
  add_choice_flags(command, flags->choice, kSchedules, pauses ? "pause" : "unpause");
  add_skip_immediately_flag(command, flags->skip_immediately);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return run_pause(*flags, global, context); });
  return command;
}

}  // namespace

Command add_schedule_pause(const Command& group, const std::string& word) { return add(group, word, true); }
Command add_schedule_unpause(const Command& group, const std::string& word) { return add(group, word, false); }

}  // namespace landfall::cli
