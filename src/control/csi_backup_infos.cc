#include "control/csi_backup_infos.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/labels.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;
using volume_info::Operations;
using Objects = std::vector<Json>;

namespace {

// For each call: the backup itself is done, and waits for this.
constexpr Duration kPatience = std::chrono::seconds(30);

k8s::GroupVersionResource of_snapshots(std::string_view resource) {
  return {std::string(volume_info::kSnapshotGroup), std::string(volume_info::kSnapshotVersion), std::string(resource)};
}

Result<Objects> list_of(const Json& backup, const kube::Resource& objects, const std::stop_token& stop) {
  const std::string name = k8s::label_safe(k8s::ObjectView(backup).name());
  TRY_ASSIGN(
      kube::ObjectList all, "list " + objects.id().resource,
      objects.within(kPatience).list({.label_selector = fmt::format("{}={}", api::label::kBackupName, name)}, stop));
  return std::move(all.items);
}

// Both or nothing: a snapshot has no row without its content.
struct Snapshots {
  Objects snapshots;
  Objects contents;
};
Result<Snapshots> read_snapshots(const Context& context, const Json& backup, const std::stop_token& stop) {
  Snapshots found;
  TRY_ASSIGN(found.snapshots, "",
             list_of(backup, {context.client, of_snapshots(volume_info::kSnapshotResource)}, stop));
  if (found.snapshots.empty()) return found;
  TRY_ASSIGN(found.contents, "",
             list_of(backup, {context.client, of_snapshots(volume_info::kSnapshotContentResource)}, stop));
  return found;
}

bool serves_snapshots(const kube::Discovery& discovery) {
  return discovery.find(of_snapshots(volume_info::kSnapshotResource)) != nullptr &&
         discovery.find(of_snapshots(volume_info::kSnapshotContentResource)) != nullptr;
}

void warn_of(std::size_t left_out, const char* what, const Logger& log) {
  if (left_out == 0) return;
  log.warning(fmt::format("{} {} are not in the volume information: their PersistentVolumes are not in the backup",
                          left_out, what));
}

bool has_csi_operations(const Operations& operations) {
  return volume_info::has_data_uploads(operations) || volume_info::has_snapshots(operations);
}

}  // namespace

void add_csi_rows(const Context& context, const Json& backup, const kube::Discovery& discovery,
                  const Operations& operations, const Logger& log, Json& rows, const std::stop_token& stop) {
  // Snapshots whose data is moved do not stay: like Velero one looks for none then.
  if (serves_snapshots(discovery) && !json::bool_or(backup, {"spec", "snapshotMoveData"}, false)) {
    const auto found = read_snapshots(context, backup, stop);
    if (found) {
      warn_of(volume_info::add_csi_snapshots(rows, found->snapshots, found->contents, operations), "VolumeSnapshots",
              log);
    } else if (!stop.stop_requested()) {
      log.warning("CSI snapshots are not in the volume information", {LogField(found.error())});
    }
  }
  if (!volume_info::has_data_uploads(operations)) return;
  const auto uploads = list_of(backup, context.objects(api::kDataUpload), stop);
  if (!uploads && !stop.stop_requested()) {
    log.warning("The volume information lacks what DataUploads say", {LogField(uploads.error())});
  }
  warn_of(volume_info::add_data_uploads(rows, uploads ? *uploads : Objects(), operations), "DataUploads", log);
}

Result<std::optional<Json>> end_csi_infos(const Context& context, const Json& backup, bucket::BackupStore& store,
                                          const Operations& operations, std::optional<Json> infos,
                                          const std::stop_token& stop) {
  if (!has_csi_operations(operations)) return infos;
  const std::string name(k8s::ObjectView(backup).name());
  const bool is_changed = infos.has_value();
  if (!infos) {
    TRY_ASSIGN(infos, "", store.read(name, bucket::BackupArtifact::kVolumeInfos, stop));
  }
  if (!infos) return infos;
  Objects uploads;
  if (volume_info::has_data_uploads(operations)) {
    auto listed = list_of(backup, context.objects(api::kDataUpload), stop);
    if (!listed && (is_retryable(listed.error().code()) || stop.stop_requested())) return fail("", listed.error());
    if (listed) {
      uploads = *std::move(listed);
    } else {
      context.log.warning("The volume information lacks what DataUploads say",
                          {{"backup", name}, LogField(listed.error())});
    }
  }
  const Json before = *infos;
  volume_info::end_csi_rows(*infos, uploads, operations);
  if (!is_changed && *infos == before) infos.reset();
  return infos;
}

}  // namespace landfall::control
