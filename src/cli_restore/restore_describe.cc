#include <string>

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

Result<std::string> text_of(const DescribeRequest& request) {
  const Json& restore = request.object;
  const Context& context = request.context;
  const std::string name(k8s::ObjectView(restore).name());
  DescribedFiles files(request.artifacts, name);
  RestoreDescription what{
      .restore = restore, .details = request.details, .is_colorized = wants_colors(request.global, context)};
  const kube::Resource volumes(request.client, api::kPodVolumeRestore.resource(), request.global.namespace_name);
  const std::string selector = std::string(api::label::kRestoreName) + "=" + k8s::label_safe(name);
  TRY_ASSIGN(kube::ObjectList found, "pod volume restores", volumes.list({.label_selector = selector}, context.stop));
  what.pod_volume_restores = std::move(found.items);
  const auto count = [&](std::string_view field) { return api::status_count(restore, field); };
  if (count(api::field::kErrors) > 0 || count(api::field::kWarnings) > 0) {
    what.results = files.fetch(DownloadTarget::kRestoreResults);
  }
  // Before it begins there are no files, and nobody who would name an address for them at once.
  const bool has_begun = api::status_time(restore, api::field::kStartTimestamp).has_value();
  if (!has_begun && !context.called_as_velero()) return describe_restore(what, context);
  what.volume_infos = files.fetch(DownloadTarget::kRestoreVolumeInfo);
  if (!request.details) return describe_restore(what, context);
  if (count("restoreItemOperationsAttempted") > 0) {
    what.item_operations = files.fetch(DownloadTarget::kRestoreItemOperations);
  }
  what.resource_list = files.fetch(DownloadTarget::kRestoreResourceList);
  return describe_restore(what, context);
}

}  // namespace

Command add_restore_describe(const Command& group, const std::string& word) {
  return add_describe(group, word,
                      {.noun = kRestores,
                       .help = "Show a restore in full: what it was asked, how far it is, what failed",
                       .text = text_of});
}

}  // namespace landfall::cli
