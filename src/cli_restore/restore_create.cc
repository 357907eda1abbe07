#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/phases.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/artifacts.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/new_object.h"
#include "cli/operation_wait.h"
#include "cli/operation_words.h"
#include "cli_restore/restore_commands.h"
#include "cli_restore/restore_draft.h"
#include "cli_restore/restore_flags.h"
#include "cli_restore/restore_plan_text.h"
#include "cli_restore/restore_preview.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "restore/plan_document.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string from_backup;
  std::string from_schedule;
  std::optional<bool> allow_partially_failed;
  RestoreFilterFlags filters;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  bool wait = false;
  bool preview = false;
  bool details = false;
  CreateOutputFlags output;
  ArtifactFlags artifacts;
};

Status check_source(const Flags& flags) {
  if (!flags.from_backup.empty() && !flags.from_schedule.empty()) {
    return fail(Code::kInvalid, "--from-backup and --from-schedule cannot both be given: choose one");
  }
  if (flags.from_backup.empty() && flags.from_schedule.empty()) {
    return fail(Code::kInvalid,
                "what to restore from? Name a backup with --from-backup, or a schedule, for its newest "
                "backup, with --from-schedule");
  }
  return {};
}

// The newest that has ended well enough; "" when there is none, which the server will say.
std::string newest_usable(const std::vector<Json>& backups) {
  const Json* newest = nullptr;
  const auto started = [](const Json& backup) { return api::status_time(backup, api::field::kStartTimestamp); };
  for (const Json& backup : backups) {
    const auto phase = api::phase_of<api::BackupPhase>(backup);
    if (phase != api::BackupPhase::kCompleted && phase != api::BackupPhase::kPartiallyFailed) continue;
    if (newest == nullptr || started(backup) > started(*newest)) newest = &backup;
  }
  return newest == nullptr ? "" : std::string(k8s::ObjectView(*newest).name());
}

// Puts the source into the spec. It must be there: a typing mistake is found here, not by a Restore that fails.
Status set_source(Json& spec, const Flags& flags, kube::Client& client, const std::string& name_space,
                  const Context& context) {
  const kube::Resource backups(client, api::kBackup.resource(), name_space);
  if (!flags.from_backup.empty()) {
    TRY_ASSIGN(const Json backup, "--from-backup",
               ObjectFinder(client, kBackups, name_space, context).one(flags.from_backup));
    spec["backupName"] = flags.from_backup;
    return {};
  }
  const std::string selector = std::string(api::label::kScheduleName) + "=" + k8s::label_safe(flags.from_schedule);
  TRY_ASSIGN(const kube::ObjectList made, "--from-schedule", backups.list({.label_selector = selector}, context.stop));
  if (made.items.empty()) {
    return fail(Code::kNotFound, "no backup of a schedule " + quote(flags.from_schedule) + " in namespace " +
                                     quote(name_space) + ": check its name, or wait for its first backup");
  }
  const std::string usable = flags.allow_partially_failed.value_or(false) ? newest_usable(made.items) : "";
  spec[usable.empty() ? "scheduleName" : "backupName"] = usable.empty() ? flags.from_schedule : usable;
  return {};
}

Status show_plan(const std::string& name, const Flags& flags, const Artifacts& artifacts, const Context& context) {
  const auto show = [&](io::Reader& text) -> Status {
    TRY_ASSIGN(const restore::Plan plan, "plan", restore::read_plan(text));
    return context.out.write(plan_text(plan, {.details = flags.details}));
  };
  return artifacts.read(api::DownloadTarget::kRestorePlan, name, std::chrono::minutes(1), show);
}

Status preview(const kube::Resource& restores, Json restore, const Flags& flags, const GlobalFlags& global,
               const Context& context) {
  TRY_ASSIGN(const Json created, "", create_preview(restores, std::move(restore), context));
  TRY_ASSIGN(const Json ended, "", await_operation(restores, created, context, {.colorized = global.colorized}));
  const std::string name(k8s::ObjectView(created).name());
  if (!is_completed(ended)) return report_ending(ended, context);
  const Artifacts artifacts(restores.client(), restores.name_space(), flags.artifacts, context);
  TRY("plan of preview " + name, show_plan(name, flags, artifacts, context));
  return context.err.write("Nothing was restored. The plan can be seen again with '" + context.program +
                           " restore plan " + name + "'.\n");
}

Status create(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", check_source(flags));
  const std::string& source = flags.from_schedule.empty() ? flags.from_backup : flags.from_schedule;
  TRY_ASSIGN(const std::string name, "", restore_name(flags.names, source, context));
  TRY_ASSIGN(Json spec, "", restore_spec_of(flags.filters, context));
  // Velero creates the Restore all the same, and scripts look at its phase.
  if (!context.called_as_velero()) TRY("", check_restore_filters(spec));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY("", set_source(spec, flags, cluster->client(), global.namespace_name, context));
  if (flags.preview) spec["preview"] = true;
  Json restore =
      new_object(api::kRestore, name, global.namespace_name, std::move(spec), flags.labels, flags.annotations);
  if (!flags.output.format.empty()) return print_instead(flags.output, restore, restore_get(), context);
  TRY("", say_no_effect_yet(restore_flags_without_effect(flags.filters), context));

  const kube::Resource restores(cluster->client(), api::kRestore.resource(), global.namespace_name);
  if (flags.preview) return preview(restores, std::move(restore), flags, global, context);
  TRY_ASSIGN(const Json created, "", create_object(cluster->client(), kRestores, restore, context));
  TRY("", context.out.write("Restore request \"" + name + "\" submitted successfully.\n"));
  if (flags.wait) return wait_and_report(restores, created, context, {.colorized = global.colorized});
  return context.out.write("Run `" + context.program + " restore describe " + name + "` or `" + context.program +
                           " restore logs " + name + "` for more details.\n");
}

}  // namespace

Command add_restore_create(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Restore a backup into the cluster");
  command.arguments("NAME", flags->names, "What to call the restore (SOURCE-TIME)");
  command.flag("--from-backup", flags->from_backup, "The backup to restore");
  command.flag("--from-schedule", flags->from_schedule, "The schedule whose newest backup is restored");
  command.flag("--allow-partially-failed", flags->allow_partially_failed,
               "With --from-schedule: take a backup that has failed in part, too");
  add_restore_filter_flags(command, flags->filters);
  command.flag("--labels", flags->labels, "Labels of the Restore");
  command.flag("--annotations", flags->annotations, "Annotations of the Restore");
  command.flag("--preview", flags->preview, "Show what would become of each item, and change nothing");
  command.flag("--details", flags->details, "With --preview: show every item");
  command.flag("-w,--wait", flags->wait, "Wait for the restore, and show how far it is");
  add_create_output_flags(command, flags->output);
  add_artifact_flags(command, flags->artifacts);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return create(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
