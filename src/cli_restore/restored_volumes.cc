#include "cli_restore/restored_volumes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "api/labels.h"
#include "api/names.h"
#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;
using volume_info::RestoredVolume;

namespace {

VolumeState state_of(const RestoredVolume& row) {
  if (row.result == volume_info::result::kSucceeded) return VolumeState::kRestored;
  if (row.result == volume_info::result::kFailed) return VolumeState::kFailed;
  if (row.result == volume_info::result::kSkipped) return VolumeState::kWithoutData;
  return row.result == volume_info::result::kInProgress ? VolumeState::kUnderWay : VolumeState::kUnknown;
}

// Objects by what rows call them.
class Transfers {
 public:
  explicit Transfers(const RestoreDescription& what) {
    for (const Json& one : what.pod_volume_restores) {
      pod_volumes_[{json::string_or(one, {"spec", "pod", "namespace"}, ""),
                    json::string_or(one, {"spec", "pod", "name"}, ""), json::string_or(one, {"spec", "volume"}, "")}] =
          &one;
    }
    for (const Json& one : what.volume_plugin_restores) {
      const k8s::ObjectView view(one);
      plugin_volumes_[std::string(view.name())] = &one;
      if (const auto volume = view.labels().get(std::string(api::label::kPvName))) {
        by_volume_[std::string(*volume)] = &one;
      }
    }
  }

  const Json* of(const RestoredVolume& row) const {
    if (row.pod_volume) {
      return found(pod_volumes_, {row.pod_volume->pod.name_space, row.pod_volume->pod.name, row.pod_volume->volume});
    }
    if (!row.native) return nullptr;
    const Json* named = found(plugin_volumes_, row.native->progress_resource);
    return named != nullptr ? named : found(by_volume_, row.volume);
  }

 private:
  template <class Key>
  static const Json* found(const std::map<Key, const Json*>& all, const Key& key) {
    const auto place = all.find(key);
    return place == all.end() ? nullptr : place->second;
  }

  std::map<std::tuple<std::string, std::string, std::string>, const Json*> pod_volumes_;  // namespace, pod, volume
  std::map<std::string, const Json*> plugin_volumes_;
  std::map<std::string, const Json*> by_volume_;
};

template <class Phase>
VolumeState state_by(const Json& transfer, Phase completed) {
  const auto phase = api::phase_of<Phase>(transfer);
  if (!phase || !api::is_final(*phase)) return VolumeState::kUnderWay;
  return *phase == completed ? VolumeState::kRestored : VolumeState::kFailed;
}

void take_over(VolumeEntry& entry, const Json& transfer) {
  const bool is_plugins = k8s::ObjectView(transfer).kind() == api::kVolumePluginRestore.name;
  entry.state = is_plugins ? state_by(transfer, api::VolumePluginPhase::kCompleted)
                           : state_by(transfer, api::TransferPhase::kCompleted);
  entry.reason = json::string_or(transfer, {"status", "message"}, "");
  if (entry.state == VolumeState::kFailed && entry.reason.empty()) {
    entry.reason = to_lower(json::string_or(transfer, {"status", "phase"}, ""));
  }
  if (entry.state != VolumeState::kRestored) return;
  entry.reason.clear();
  if (const auto progress = api::read_byte_progress(transfer)) entry.bytes = progress->bytes.done;
  const auto time = [&](std::string_view field) { return json::string_or(transfer, {"status", field}, ""); };
  entry.row.started = time(api::field::kStartTimestamp);
  entry.row.completed = time(api::field::kCompletionTimestamp);
}

VolumeEntry entry_of(const Json& row, const Transfers& transfers) {
  VolumeEntry entry{.row = volume_info::read_restored(row)};
  entry.state = state_of(entry.row);
  entry.transfer = transfers.of(entry.row);
  entry.reason = entry.row.message;
  const Json* bytes = json::find(row, {"bytesRestored"});
  const bool has_bytes = bytes != nullptr && bytes->is_number_integer() && entry.row.bytes_restored >= 0;
  if (has_bytes) entry.bytes = ByteCount(*entry.row.bytes_restored);
  const bool is_open = entry.state == VolumeState::kUnderWay || entry.state == VolumeState::kUnknown;
  if (is_open && entry.transfer != nullptr) take_over(entry, *entry.transfer);
  return entry;
}

std::vector<Json> without(const std::vector<Json>& all, const std::set<const Json*>& taken) {
  std::vector<Json> rest;
  for (const Json& one : all) {
    if (!taken.contains(&one)) rest.push_back(one);
  }
  return rest;
}

}  // namespace

std::size_t RestoredVolumes::count(VolumeState state) const {
  return static_cast<std::size_t>(std::ranges::count(entries, state, &VolumeEntry::state));
}

std::optional<ByteCount> RestoredVolumes::bytes() const {
  std::optional<ByteCount> sum;
  for (const VolumeEntry& entry : entries) {
    if (entry.state == VolumeState::kRestored && entry.bytes) sum = sum.value_or(ByteCount()) + *entry.bytes;
  }
  return sum;
}

RestoredVolumes read_restored_volumes(const RestoreDescription& what) {
  RestoredVolumes volumes;
  std::set<const Json*> taken;
  if (what.volume_infos.document && what.volume_infos.document->is_array()) {
    const Transfers transfers(what);
    for (const Json& row : *what.volume_infos.document) {
      if (!row.is_object()) continue;
      volumes.entries.push_back(entry_of(row, transfers));
      taken.insert(volumes.entries.back().transfer);
    }
  }
  std::ranges::stable_sort(volumes.entries, {}, [](const VolumeEntry& entry) {
    return std::tie(entry.row.claim.name_space, entry.row.claim.name, entry.row.volume);
  });
  volumes.other_pod_volumes = without(what.pod_volume_restores, taken);
  volumes.other_plugin_volumes = without(what.volume_plugin_restores, taken);
  return volumes;
}

}  // namespace landfall::cli
