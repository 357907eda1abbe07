#include <memory>
#include <string>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "cli/artifacts.h"
#include "cli/cluster.h"
#include "cli/describe_parts.h"
#include "cli/described_file.h"
#include "cli/find_objects.h"
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

struct Flags {
  std::vector<std::string> names;
  std::string selector;
  bool details = false;
  ArtifactFlags artifacts;
};

Result<std::string> text_of(const Json& restore, const Flags& flags, const GlobalFlags& global, kube::Client& client,
                            const Context& context) {
  const std::string name(k8s::ObjectView(restore).name());
  const Artifacts artifacts(client, global.namespace_name, flags.artifacts, context);
  DescribedFiles files(artifacts, name);
  RestoreDescription what{.restore = restore, .details = flags.details, .is_colorized = wants_colors(global, context)};
  const kube::Resource volumes(client, api::kPodVolumeRestore.resource(), global.namespace_name);
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
  if (!flags.details) return describe_restore(what, context);
  if (count("restoreItemOperationsAttempted") > 0) {
    what.item_operations = files.fetch(DownloadTarget::kRestoreItemOperations);
  }
  what.resource_list = files.fetch(DownloadTarget::kRestoreResourceList);
  return describe_restore(what, context);
}

Status describe(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder restores(cluster->client(), kRestores, global.namespace_name, context);
  TRY_ASSIGN(const std::vector<Json> found, "", restores.some(flags.names, flags.selector));
  bool is_first = true;
  for (const Json& restore : found) {
    TRY_ASSIGN(const std::string text, "", text_of(restore, flags, global, cluster->client(), context));
    TRY("", context.out.write((is_first ? "" : "\n\n") + text));
    is_first = false;
  }
  return {};
}

}  // namespace

Command add_restore_describe(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Show a restore in full: what it was asked, how far it is, what failed");
  command.arguments("NAME", flags->names, "The restores (all)");
  command.flag("-l,--selector", flags->selector, "Only those with these labels");
  command.flag("--details", flags->details, "Show each item, operation and volume");
  add_artifact_flags(command, flags->artifacts);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return describe(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
