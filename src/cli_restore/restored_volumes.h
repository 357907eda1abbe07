#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cli_restore/restore_describe_text.h"
#include "json/json_fwd.h"
#include "volume_info/volume_info.h"

// The rows of a restore's volume information, and what is known of them by now.
namespace landfall::cli {

enum class VolumeState {
  kRestored,
  kUnderWay,
  kFailed,
  kWithoutData,  // there was none to bring, or none was wanted
  kUnknown,      // the row does not say, as those of Velero's server
};

struct VolumeEntry {
  volume_info::RestoredVolume row;
  VolumeState state = VolumeState::kUnknown;
  const json::Json* transfer = nullptr;  // the PodVolumeRestore or VolumePluginRestore that brings the data; borrowed
  std::optional<ByteCount> bytes;        // that were restored
  std::string reason;                    // as it came
};

struct RestoredVolumes {
  std::vector<VolumeEntry> entries;  // by claim
  // Live objects that no row tells of.
  std::vector<json::Json> other_pod_volumes;
  std::vector<json::Json> other_plugin_volumes;

  std::size_t count(VolumeState state) const;
  // Of those that were restored; nothing where no row says it.
  std::optional<ByteCount> bytes() const;
};

// A file is written from time to time, and live objects tell the newest: a row that is not over, or does not say, goes
// by the object of its transfer where there is one. Borrows from the description.
RestoredVolumes read_restored_volumes(const RestoreDescription& description);

}  // namespace landfall::cli
