#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/cron.h"
#include "base/quote.h"
#include "cli/cluster.h"
#include "cli/new_object.h"
#include "cli_backup/backup_flags.h"
#include "cli_backup/schedule_commands.h"
#include "cli_backup/schedule_flags.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  std::string schedule;
  bool use_owner_references = false;
  bool paused = false;
  std::optional<std::string> skip_immediately;
  BackupFlags backup;
  CreateOutputFlags output;
};

// Velero stores what can be no time, and its server finds out.
Status check_cron(const std::string& text, const Context& context) {
  if (text.empty()) {
    return fail(Code::kInvalid, "--schedule is required: when is a backup due? Such as \"0 3 * * *\" or \"@every 6h\"");
  }
  if (context.called_as_velero()) return {};
  TRY_ASSIGN(const CronSchedule cron, "--schedule", CronSchedule::parse(text));
  if (cron.next(context.clock.wall_now())) return {};
  return fail(Code::kInvalid, "--schedule: " + quote(text) + " is never due");
}

Result<Json> draft_of(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(Json of_backups, "", backup_spec_of(flags.backup));
  TRY("", check_backup_spec(flags.backup, of_backups, context));
  Json spec = {{"schedule", flags.schedule},
               {"template", std::move(of_backups)},
               {"useOwnerReferencesInBackup", flags.use_owner_references}};
  if (flags.paused) spec["paused"] = true;
  TRY_ASSIGN(const auto skips, "", read_skip_immediately(flags.skip_immediately));
  put_tristate(spec, "skipImmediately", skips);
  // Velero takes annotations and forgets them.
  return new_object(api::kSchedule, flags.name, global.namespace_name, std::move(spec), flags.backup.labels,
                    context.called_as_velero() ? StringMap() : flags.backup.annotations);
}

Status create(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", check_cron(flags.schedule, context));
  TRY("", check_name(kSchedules, flags.name, context));
  TRY_ASSIGN(const Json draft, "", draft_of(flags, global, context));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY("", check_backup_locations(flags.backup, cluster->client(), global.namespace_name, context));
  if (!flags.output.format.empty()) return print_instead(flags.output, draft, schedule_get(), context);

  TRY("", say_no_effect_yet(backup_flags_without_effect(flags.backup), context));
  TRY_ASSIGN(const Json created, "", create_object(cluster->client(), kSchedules, draft, context));
  return context.out.write("Schedule " + quote(flags.name) + " created successfully.\n");
}

}  // namespace

Command add_schedule_create(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Back up regularly");
  command.argument("NAME", flags->name, "What to call the schedule; its backups are called NAME-TIME");
  command.flag("--schedule", flags->schedule,
               "When, in UTC: minute hour day-of-month month day-of-week, or @daily, or @every 6h");
  add_backup_flags(command, flags->backup, "schedule");
  command.flag("--use-owner-references-in-backup", flags->use_owner_references,
               "Let the schedule own its backups: they are deleted with it");
  command.flag("--paused", flags->paused, "Make no backups until it is unpaused");
  add_skip_immediately_flag(command, flags->skip_immediately);
  add_create_output_flags(command, flags->output);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return create(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
