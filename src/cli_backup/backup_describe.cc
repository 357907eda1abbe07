#include <memory>
#include <string>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "cli/describe_command.h"
#include "cli/describe_parts.h"
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

Result<std::string> text_of(const DescribeRequest& request, const std::string& format) {
  const Json& backup = request.object;
  const GlobalFlags& global = request.global;
  const Context& context = request.context;
  // As Velero: a document for exactly one.
  const bool is_json = format == "json" && request.objects == 1;
  if (format == "json" && !is_json && !context.called_as_velero()) {
    return fail(Code::kInvalid, "-o json is for one backup: name it");
  }
  const k8s::ObjectView view(backup);
  const std::string name(view.name());
  const std::string by_name = std::string(api::label::kBackupName) + "=" + k8s::label_safe(name);
  const std::string by_uid = by_name + "," + std::string(api::label::kBackupUid) + "=" + std::string(view.uid());
  const Belongings belongings(request.client, global, context);
  BackupDescription what{.backup = backup, .details = request.details, .is_colorized = wants_colors(global, context)};
  TRY_ASSIGN(what.delete_requests, "", belongings.list(api::kDeleteBackupRequest, by_uid, name));
  TRY_ASSIGN(what.pod_volume_backups, "", belongings.list(api::kPodVolumeBackup, by_name, name));
  // Landfall's own: Velero's installations have no such kind, and say nothing of it.
  if (!context.called_as_velero()) {
    auto found = kube::Resource(request.client, api::kVolumePluginBackup.resource(), global.namespace_name)
                     .list({.label_selector = by_name}, context.stop);
    if (found) what.volume_plugin_backups = std::move(found->items);
  }
  DescribedFiles files(request.artifacts, name);
  if (context.called_as_velero() || api::status_time(backup, api::field::kStartTimestamp)) {
    fetch_files(what, files, !is_json);
  } else {
    // Before it begins there are no files, and nobody who would name an address for them at once.
    what.resource_list.is_wanted = request.details;
    what.volumes.is_legacy = true;
  }
  return is_json ? describe_backup_as_json(what) : describe_backup(what, context);
}

}  // namespace

Command add_backup_describe(const Command& group, const std::string& word) {
  const auto format = std::make_shared<std::string>("plaintext");
  return add_describe(group, word,
                      {.noun = kBackups,
                       .help = "Show a backup in full: what it was asked, how far it is, what it holds",
                       .text = [format](const DescribeRequest& request) { return text_of(request, *format); },
                       .add_flags =
                           [format](const Command& command) {
                             command.choice("-o,--output", *format, {"plaintext", "json"},
                                            "How to print it; json is for one backup only");
                           }});
}

}  // namespace landfall::cli
