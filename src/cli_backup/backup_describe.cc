#include <memory>
#include <string>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "cli/artifacts.h"
#include "cli/cluster.h"
#include "cli/describe_parts.h"
#include "cli/find_objects.h"
#include "cli_backup/backup_commands.h"
#include "cli_backup/backup_description.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using api::DownloadTarget;
using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string selector;
  bool details = false;
  std::string format = "plaintext";
  ArtifactFlags artifacts;
};

// What belongs to the backup; a kind that cannot be listed is said on the error output, as Velero does, and left out.
class Belongings {
 public:
  Belongings(kube::Client& client, const GlobalFlags& global, const Context& context)
      : client_(client), global_(global), context_(context) {}

  Result<std::vector<Json>> list(const api::Kind& kind, const std::string& selector, const std::string& backup) const {
    const kube::Resource resource(client_, kind.resource(), global_.namespace_name);
    auto found = resource.list({.label_selector = selector}, context_.stop);
    if (found) return std::move(found->items);
    if (context_.stop.stop_requested()) return fail("", found.error());
    TRY("", context_.err.write("error getting " + std::string(kind.name) + "s for backup " + backup + ": " +
                               found.error().message() + "\n"));
    return std::vector<Json>();
  }

 private:
  kube::Client& client_;
  const GlobalFlags& global_;
  const Context& context_;
};

void fetch_files(BackupDescription& what, DescribedFiles& files, bool wants_operations) {
  const auto count = [&](std::string_view field) { return api::status_count(what.backup, field); };
  if (count(api::field::kErrors) > 0 || count(api::field::kWarnings) > 0) {
    what.results = files.fetch(DownloadTarget::kBackupResults);
  }
  if (what.details && wants_operations && count("backupItemOperationsAttempted") > 0) {
    what.item_operations = files.fetch(DownloadTarget::kBackupItemOperations);
  }
  if (what.details) what.resource_list = files.fetch(DownloadTarget::kBackupResourceList);
  what.volumes = read_backup_volumes(what.backup, files);
}

Result<std::string> text_of(const Json& backup, const Flags& flags, bool is_json, const GlobalFlags& global,
                            kube::Client& client, const Context& context) {
  const k8s::ObjectView view(backup);
  const std::string name(view.name());
  const std::string by_name = std::string(api::label::kBackupName) + "=" + k8s::label_safe(name);
  const std::string by_uid = by_name + "," + std::string(api::label::kBackupUid) + "=" + std::string(view.uid());
  const Belongings belongings(client, global, context);
  BackupDescription what{.backup = backup, .details = flags.details, .is_colorized = wants_colors(global, context)};
  TRY_ASSIGN(what.delete_requests, "", belongings.list(api::kDeleteBackupRequest, by_uid, name));
  TRY_ASSIGN(what.pod_volume_backups, "", belongings.list(api::kPodVolumeBackup, by_name, name));
  const Artifacts artifacts(client, global.namespace_name, flags.artifacts, context);
  DescribedFiles files(artifacts, name);
  if (context.called_as_velero() || api::status_time(backup, api::field::kStartTimestamp)) {
    fetch_files(what, files, !is_json);
  } else {
    // Before it begins there are no files, and nobody who would name an address for them at once.
    what.resource_list.is_wanted = flags.details;
    what.volumes.is_legacy = true;
  }
  return is_json ? describe_backup_as_json(what) : describe_backup(what, context);
}

Status describe(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder backups(cluster->client(), kBackups, global.namespace_name, context);
  TRY_ASSIGN(const std::vector<Json> found, "", backups.some(flags.names, flags.selector));
  // As Velero: a document for exactly one.
  const bool is_json = flags.format == "json" && found.size() == 1;
  if (flags.format == "json" && !is_json && !context.called_as_velero()) {
    return fail(Code::kInvalid, "-o json is for one backup: name it");
  }
  bool is_first = true;
  for (const Json& backup : found) {
    TRY_ASSIGN(const std::string text, "", text_of(backup, flags, is_json, global, cluster->client(), context));
    TRY("", context.out.write((is_first ? "" : "\n\n") + text));
    is_first = false;
  }
  return {};
}

}  // namespace

Command add_backup_describe(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Show a backup in full: what it was asked, how far it is, what it holds");
  command.arguments("NAME", flags->names, "The backups (all)");
  command.flag("-l,--selector", flags->selector, "Only those with these labels");
  command.flag("--details", flags->details, "Show each item, operation and volume");
  command.choice("-o,--output", flags->format, {"plaintext", "json"}, "How to print it; json is for one backup only");
  add_artifact_flags(command, flags->artifacts);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return describe(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
