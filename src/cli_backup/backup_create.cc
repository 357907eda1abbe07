#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/new_object.h"
#include "cli/operation_wait.h"
#include "cli_backup/backup_commands.h"
#include "cli_backup/backup_draft.h"
#include "cli_backup/backup_flags.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::optional<std::string> from_schedule;
  BackupFlags backup;
  bool wait = false;
  CreateOutputFlags output;
};

// The name that was given; empty where the schedule gives one.
Result<std::string> name_of(const Flags& flags) {
  if (flags.names.size() > 1) {
    return fail(Code::kInvalid, "one backup is made at a time: " + quote(flags.names[0]) + " and " +
                                    quote(flags.names[1]) + " are two names");
  }
  if (flags.names.empty() && !flags.from_schedule) {
    return fail(Code::kInvalid, "what is the backup to be called? Give a name, or a schedule with --from-schedule");
  }
  return flags.names.empty() ? "" : flags.names.front();
}

Result<Json> draft_of_flags(const Flags& flags, const std::string& name, const GlobalFlags& global,
                            kube::Client& client, const Context& context) {
  TRY_ASSIGN(Json spec, "", backup_spec_of(flags.backup));
  TRY("", check_backup_spec(flags.backup, spec, context));
  TRY("", check_backup_locations(flags.backup, client, global.namespace_name, context));
  return new_object(api::kBackup, name, global.namespace_name, std::move(spec), flags.backup.labels,
                    flags.backup.annotations);
}

// The schedule says what is backed up. Velero ignores what else is said; that would be a backup of something else than
// was asked for.
Status check_nothing_else(const BackupFlags& flags) {
  TRY_ASSIGN(const Json spec, "", backup_spec_of(flags));
  TRY_ASSIGN(const Json nothing, "", backup_spec_of({}));
  if (spec == nothing) return {};
  return fail(
      Code::kInvalid,
      "--from-schedule takes from the schedule what is backed up, and how: leave out the flags that say so, too, "
      "or leave out --from-schedule");
}

Result<Json> draft_of_schedule(const Flags& flags, const std::string& name, const GlobalFlags& global,
                               kube::Client& client, const Context& context) {
  const std::string schedule_name(trim(*flags.from_schedule));
  if (schedule_name.empty()) return fail(Code::kInvalid, "--from-schedule needs the name of a schedule");
  if (context.called_as_velero()) {
    TRY_ASSIGN(const Json spec, "", backup_spec_of(flags.backup));
    TRY("", check_backup_spec(flags.backup, spec, context));
  } else {
    TRY("", check_nothing_else(flags.backup));
  }
  const ObjectFinder schedules(client, kSchedules, global.namespace_name, context);
  TRY_ASSIGN(const Json schedule, "--from-schedule", schedules.one(schedule_name));
  return backup_of_schedule(schedule, name.empty() ? backup_name_of(schedule_name, context) : name, flags.backup.labels,
                            flags.backup.annotations);
}

Status create(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const std::string given, "", name_of(flags));
  if (!given.empty()) TRY("", check_name(kBackups, given, context));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY_ASSIGN(
      const Json draft, "",
      (flags.from_schedule ? draft_of_schedule : draft_of_flags)(flags, given, global, cluster->client(), context));
  if (!flags.output.format.empty()) return print_instead(flags.output, draft, backup_get(), context);

  TRY("", say_no_effect_yet(backup_flags_without_effect(flags.backup), context));
  if (flags.from_schedule && context.called_as_velero()) {
    TRY("", context.out.write("Creating backup from schedule, all other filters are ignored.\n"));
  }
  const std::string name(k8s::ObjectView(draft).name());
  TRY_ASSIGN(const Json created, "", create_object(cluster->client(), kBackups, draft, context));
  TRY("", context.out.write("Backup request " + quote(name) + " submitted successfully.\n"));
  if (flags.wait) {
    const kube::Resource backups(cluster->client(), kBackups.kind.resource(), global.namespace_name);
    return wait_and_report(backups, created, context, {.colorized = global.colorized});
  }
  return context.out.write("Run `" + context.program + " backup describe " + name + "` or `" + context.program +
                           " backup logs " + name + "` for more details.\n");
}

}  // namespace

Command add_backup_create(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Back up the cluster, or what of it is chosen");
  command.arguments("NAME", flags->names, "What to call the backup (with --from-schedule SCHEDULE-TIME)");
  command.flag("--from-schedule", flags->from_schedule, "Back up what this schedule does, now");
  add_backup_flags(command, flags->backup, "backup");
  command.flag("-w,--wait", flags->wait, "Wait for the backup, and show how far it is");
  add_create_output_flags(command, flags->output);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return create(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
