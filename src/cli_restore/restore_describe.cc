#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "cli/describe_command.h"
#include "cli/describe_parts.h"
#include "cli/described_file.h"
#include "cli_restore/restore_commands.h"
#include "cli_restore/restore_describe_text.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using api::DownloadTarget;
using json::Json;

// Velero's installations have no such kinds: then there are none.
std::vector<Json> list_if_any(const DescribeRequest& request, const api::Kind& kind, std::string_view label,
                              const std::string& name) {
  const kube::Resource objects(request.client, kind.resource(), request.global.namespace_name);
  auto found = objects.list({.label_selector = std::string(label) + "=" + k8s::label_safe(name)}, request.context.stop);
  return found ? std::move(found->items) : std::vector<Json>();
}

void list_plugin_volumes(const DescribeRequest& request, const std::string& name, RestoreDescription& what) {
  const std::string backup = json::string_or(request.object, {"spec", "backupName"}, "");
  what.volume_plugin_restores = list_if_any(request, api::kVolumePluginRestore, api::label::kRestoreName, name);
  if (backup.empty()) return;
  what.volume_plugin_backups = list_if_any(request, api::kVolumePluginBackup, api::label::kBackupName, backup);
}

void fetch_files(const DescribeRequest& request, bool wants_operations, RestoreDescription& what) {
  DescribedFiles files(request.artifacts, std::string(k8s::ObjectView(what.restore).name()));
  const auto count = [&](std::string_view field) { return api::status_count(what.restore, field); };
  if (count(api::field::kErrors) > 0 || count(api::field::kWarnings) > 0) {
    what.results = files.fetch(DownloadTarget::kRestoreResults);
  }
  // Before it begins there are no files, and nobody who would name an address for them at once.
  const bool has_begun = api::status_time(what.restore, api::field::kStartTimestamp).has_value();
  if (!has_begun && !request.context.called_as_velero()) return;
  what.volume_infos = files.fetch(DownloadTarget::kRestoreVolumeInfo);
  if (!request.details) return;
  if (wants_operations && count("restoreItemOperationsAttempted") > 0) {
    what.item_operations = files.fetch(DownloadTarget::kRestoreItemOperations);
  }
  what.resource_list = files.fetch(DownloadTarget::kRestoreResourceList);
}

Result<std::string> text_of(const DescribeRequest& request, const std::string& format) {
  const Context& context = request.context;
  const bool is_json = format == "json";
  if (is_json && request.objects != 1) return fail(Code::kInvalid, "-o json is for one restore: name it");
  const std::string name(k8s::ObjectView(request.object).name());
  RestoreDescription what{
      .restore = request.object, .details = request.details, .is_colorized = wants_colors(request.global, context)};
  const kube::Resource volumes(request.client, api::kPodVolumeRestore.resource(), request.global.namespace_name);
  const std::string selector = std::string(api::label::kRestoreName) + "=" + k8s::label_safe(name);
  TRY_ASSIGN(kube::ObjectList found, "pod volume restores", volumes.list({.label_selector = selector}, context.stop));
  what.pod_volume_restores = std::move(found.items);
  if (!context.called_as_velero()) list_plugin_volumes(request, name, what);
  fetch_files(request, !is_json, what);
  return is_json ? describe_restore_as_json(what) : describe_restore(what, context);
}

}  // namespace

Command add_restore_describe(const Command& group, const std::string& word) {
  const auto format = std::make_shared<std::string>("plaintext");
  return add_describe(group, word,
                      {.noun = kRestores,
                       .help = "Show a restore in full: what it was asked, how far it is, what failed",
                       .text = [format](const DescribeRequest& request) { return text_of(request, *format); },
                       .add_flags =
                           [format](const Command& command) {
                             command.choice("-o,--output", *format, {"plaintext", "json"},
                                            "How to print it; json is for one restore only");
                           }});
}

}  // namespace landfall::cli
