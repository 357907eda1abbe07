#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/new_object.h"
#include "cli/operation_display.h"
#include "cli_restore/restore_commands.h"
#include "cli_restore/restore_draft.h"
#include "cli_restore/restore_files.h"
#include "cli_restore/restore_flags.h"
#include "cli_restore/restore_local.h"
#include "cli_restore/restore_plan_text.h"
#include "cli_restore/restore_report.h"
#include "cli_restore/restore_source.h"
#include "json/json.h"
#include "location/opened_location.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string from;
  std::string backup;
  RestoreFilterFlags filters;
  bool preview = false;
  bool details = false;
  RestoreRunFiles::Places places;
  std::string managed_fields = "applied";
};

Status check(const Flags& flags) {
  if (flags.from.empty()) {
    return fail(Code::kInvalid,
                "where is the backup? Name the bucket with --from s3://BUCKET/PREFIX, or the directory that holds "
                "backups/");
  }
  if (flags.backup.empty()) return fail(Code::kInvalid, "which backup? Name it with --backup");
  return {};
}

// The Restore that a server would have been given.
Result<Json> make_up(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const std::string name, "", restore_name(flags.names, flags.backup, context));
  TRY_ASSIGN(Json spec, "", restore_spec_of(flags.filters, context));
  TRY("", check_restore_filters(spec));
  spec["backupName"] = flags.backup;
  if (flags.preview) spec["preview"] = true;
  Json restore = new_object(api::kRestore, name, global.namespace_name, std::move(spec));
  restore["metadata"]["uid"] = uuid4(system_random());
  return restore;
}

Status preview(LocalRestore& local, const Flags& flags, const RestoreRunFiles& files, const Context& context) {
  TRY_ASSIGN(const restore::Plan plan, "", local.preview());
  TRY("", files.save(plan));
  TRY("", context.out.write(plan_text(plan, {.details = flags.details})));
  return context.err.write("Nothing was restored.\n");
}

Status restore(LocalRestore& local, const Flags& flags, const std::string& name, const RestoreRunFiles& files,
               const Context& context) {
  auto outcome = local.run();
  if (!outcome) {
    return fail("restore " + name + " (its log is " + files.log_path() + ")", std::move(outcome).error());
  }
  TRY("",
      context.out.write(restore_report(
          *outcome, {.name = name, .backup = flags.backup, .log_path = files.log_path(), .details = flags.details})));
  TRY("", files.save(outcome->product, *outcome->volume_infos));
  if (outcome->product.is_cut_off) {
    return fail(Code::kCancelled,
                "stopped before everything was restored; what was restored stays. The same command "
                "goes on: what is there already is left as it is");
  }
  if (const auto errors = outcome->product.results.errors.count(); errors > 0) {
    return fail(Code::kInternal, std::to_string(errors) + (errors == 1 ? " error" : " errors"));
  }
  return {};
}

Status run(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", check(flags));
  TRY_ASSIGN(Json document, "", make_up(flags, global, context));
  const std::string name = document["metadata"]["name"].get<std::string>();
  const location::World world{.environment = context.environment, .clock = context.clock, .is_impatient = true};
  TRY_ASSIGN(const auto opened, "--from", location::open_root(flags.from, world));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context, Patience::kLong));
  TRY_ASSIGN(const RestoreSource source, "", read_source(opened->backups(), flags.backup, context));

  TRY_ASSIGN(const RestoreRunFiles files, "", RestoreRunFiles::open(flags.places, name, context));
  LocalRestoreOptions options{.name_space = global.namespace_name,
                              .features = global.features,
                              .managed_fields = flags.managed_fields == "always" ? restore::ManagedFields::kAlways
                                                                                 : restore::ManagedFields::kApplied,
                              .save_plan = [&files](const restore::Plan& plan) { return files.save(plan); },
                              .has_colors = has_live_colors(global.colorized, context)};
  const Logger log = files.log().with({{"restore", global.namespace_name + "/" + name}});
  LocalRestore local(document, source, cluster->client(), std::move(options), log, context);
  TRY("", local.prepare());
  return flags.preview ? preview(local, flags, files, context) : restore(local, flags, name, files, context);
}

}  // namespace

Command add_restore_run(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command =
      group.leaf(word, "Restore a backup from its bucket into the cluster, without a server; volumes get no data");
  command.arguments("NAME", flags->names, "What to call the restore (BACKUP-TIME)");
  command.flag("--from", flags->from, "The bucket, s3://BUCKET/PREFIX, or the directory that holds backups/");
  command.flag("--backup", flags->backup, "The backup to restore");
  add_restore_filter_flags(command, flags->filters);
  command.flag("--preview", flags->preview, "Show what would become of each item, and change nothing");
  command.flag("--details", flags->details, "Show every item of a preview, every warning and error of a restore");
  command.flag("--log-file", flags->places.log_file, "Where the log goes (a new temporary file)");
  command.flag("--output-dir", flags->places.output_dir,
               "A directory for the files that a server would keep: results, resource list, plan, and the log");
  command.choice("--restore-managed-fields", flags->managed_fields, {"applied", "always"},
                 "Put managedFields back where server-side apply is used, or always, as Velero (applied)");
  command.action([flags](const Context& context, const GlobalFlags& global) { return run(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
