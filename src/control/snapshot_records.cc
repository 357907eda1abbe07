#include "control/snapshot_records.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "volume_info/volume_info.h"

namespace landfall::control {

using json::Json;
using volume_info::NativeSnapshot;

namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kOldZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kGkeZone = "topology.gke.io/zone";
constexpr std::array<std::string_view, 7> kZoneKeys = {"topology.ebs.csi.aws.com/zone",
                                                       "topology.disk.csi.azure.com/zone",
                                                       kGkeZone,
                                                       "topology.cinder.csi.openstack.org/zone",
                                                       "topology.manila.csi.openstack.org/zone",
                                                       kZone,
                                                       kOldZone};

std::string text_at(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

template <class F>
void for_each_in(const Json& object, const json::Path& path, const F& use) {
  const Json* list = json::find(object, path);
  if (list == nullptr || !list->is_array()) return;
  for (const Json& one : *list) use(one);
}

// The first that is named; of Google's regional disks all, as their snapshotter wants them.
std::string zone_by_affinity(const Json& volume) {
  std::string first;
  std::vector<std::string> gke;
  for_each_in(volume, {"spec", "nodeAffinity", "required", "nodeSelectorTerms"}, [&](const Json& term) {
    for_each_in(term, {"matchExpressions"}, [&](const Json& expression) {
      const std::string key = text_at(expression, {"key"});
      const std::string value = text_at(expression, {"values", "0"});
      if (std::ranges::find(kZoneKeys, key) == kZoneKeys.end() || value.empty()) return;
      if (text_at(expression, {"operator"}) != "In") return;
      if (key == kGkeZone) {
        gke.push_back(value);
      } else if (first.empty()) {
        first = value;
      }
    });
  });
  return first.empty() ? join(gke, "__") : first;
}

std::string_view phase_of(const Json& record) { return is_completed(record) ? "Completed" : "Failed"; }

std::string_view result_of(const Json& record) {
  return is_completed(record) ? volume_info::result::kSucceeded : volume_info::result::kFailed;
}

k8s::NamespacedName claim_of(const Json& volume) {
  return {text_at(volume, {"spec", "claimRef", "namespace"}), text_at(volume, {"spec", "claimRef", "name"})};
}

Json row_of(const TakenSnapshot& taken) {
  volume_info::BackedUpVolume row;
  row.claim = claim_of(taken.volume);
  row.volume = k8s::ObjectView(taken.volume).name();
  row.method = volume_info::method::kNativeSnapshot;
  row.started = format_rfc3339(taken.started);
  row.result = result_of(taken.record);
  row.native = native_info(facts_of(taken.record), phase_of(taken.record));
  row.traits = volume_info::traits_of(taken.volume);
  return to_json(row);
}

// With the part that tells of the snapshot, so that it can be changed.
bool is_native(const Json& row) {
  return text_at(row, {"backupMethod"}) == volume_info::method::kNativeSnapshot &&
         json::object_at(row, {"nativeSnapshotInfo"}).has_value();
}

auto row_named(Json& rows, const std::string& volume) {
  return std::ranges::find_if(rows, [&](const Json& row) { return text_at(row, {"pvName"}) == volume; });
}

}  // namespace

std::string zone_of(const Json& volume) {
  const k8s::ObjectView view(volume);
  for (const std::string_view label : {kZone, kOldZone}) {
    if (const auto zone = view.labels().get(std::string(label))) return std::string(*zone);
  }
  return zone_by_affinity(volume);
}

Json snapshot_record(const Json& backup, const Json& volume, const SnapshotFacts& facts) {
  const k8s::ObjectView view(backup);
  Json spec = {{"backupName", std::string(view.name())},
               {"backupUID", std::string(view.uid())},
               {"location", facts.location},
               {"persistentVolumeName", std::string(k8s::ObjectView(volume).name())},
               {"providerVolumeID", facts.volume_id},
               {"volumeType", facts.traits.type}};
  if (!facts.zone.empty()) spec["volumeAZ"] = facts.zone;
  if (facts.traits.iops) spec["volumeIOPS"] = *facts.traits.iops;
  Json status = {{"phase", facts.snapshot.empty() ? "Failed" : "Completed"}};
  if (!facts.snapshot.empty()) status["providerSnapshotID"] = facts.snapshot;
  return {{"spec", std::move(spec)}, {"status", std::move(status)}};
}

NativeSnapshot native_info(const SnapshotFacts& facts, std::string_view phase) {
  return {.handle = facts.snapshot,
          .volume_type = facts.traits.type,
          .zone = facts.zone,
          .iops = std::to_string(facts.traits.iops.value_or(0)),
          .phase = std::string(phase),
          .progress_resource = {},
          .progress = {}};
}

SnapshotFacts facts_of(const Json& record) {
  SnapshotFacts facts{.location = text_at(record, {"spec", "location"}),
                      .volume_id = text_at(record, {"spec", "providerVolumeID"}),
                      .zone = text_at(record, {"spec", "volumeAZ"}),
                      .traits = {.type = text_at(record, {"spec", "volumeType"}), .iops = {}},
                      .snapshot = text_at(record, {"status", "providerSnapshotID"})};
  if (json::has(record, {"spec", "volumeIOPS"})) facts.traits.iops = json::int_or(record, {"spec", "volumeIOPS"}, 0);
  return facts;
}

std::string volume_of_record(const Json& record) { return text_at(record, {"spec", "persistentVolumeName"}); }

bool is_completed(const Json& record) { return text_at(record, {"status", "phase"}) == "Completed"; }

void set_failed(Json& record) { record["status"]["phase"] = "Failed"; }

void add_snapshots(Json& rows, const std::vector<TakenSnapshot>& taken) {
  if (!rows.is_array()) return;
  for (const TakenSnapshot& one : taken) {
    const auto found = row_named(rows, std::string(k8s::ObjectView(one.volume).name()));
    if (found == rows.end()) {
      rows.push_back(row_of(one));
    } else {
      *found = row_of(one);
    }
  }
}

void set_row_result(Json& rows, const Json& record, WallTime completed) {
  if (!rows.is_array()) return;
  const auto found = row_named(rows, volume_of_record(record));
  if (found == rows.end() || !is_native(*found)) return;
  (*found)["result"] = std::string(result_of(record));
  (*found)["nativeSnapshotInfo"]["Phase"] = std::string(phase_of(record));
  (*found)["completionTimestamp"] = format_rfc3339(completed);
}

}  // namespace landfall::control
