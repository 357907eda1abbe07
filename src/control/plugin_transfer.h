#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "extension/volume_snapshotter.h"
#include "json/json_fwd.h"

// What a volume snapshotter does after its call has returned: it moves the bytes of a snapshot, or those of a volume
// that is made of one. Pure.
namespace landfall::control {

// In the list of operations.
inline constexpr std::string_view kSnapshotAction = "landfall.dev/volume-snapshot";
inline constexpr std::string_view kVolumeAction = "landfall.dev/volume-from-snapshot";

struct PluginTransfer {
  std::string location;  // the VolumeSnapshotLocation
  std::string snapshot;  // what the plugin calls the snapshot
  std::string volume;    // the PersistentVolume, by its name in the backup
  std::string resource;  // the VolumePluginBackup or -Restore; empty while there is none
  // Of a volume that is made of a snapshot:
  std::string volume_id;
  std::optional<WallTime> asked_at;  // just before the plugin was asked

  friend bool operator==(const PluginTransfer&, const PluginTransfer&) = default;
};

// "default/snap-1/pv-1/snap-1", with what would break it as %2F: by this another process goes on.
std::string operation_id(const PluginTransfer& transfer);
// kDataLoss for what is none.
Result<PluginTransfer> read_operation_id(std::string_view text);

// How far one is, by what its resource or its plugin says.
struct TransferSight {
  enum class State : std::uint8_t {
    kUnknown,   // nobody speaks of it: the plugin's call has done it all
    kUnclear,   // the plugin could not be asked, or its end could not be written
    kUnderWay,  // also in words of the plugin's own
    kCompleted,
    kFailed,  // or canceled
  };
  State state = State::kUnknown;
  std::string phase;
  std::string message;
  std::int64_t total_bytes = 0;
  std::int64_t bytes_done = 0;  // never over the total where there is one
  std::optional<WallTime> started;
  std::optional<WallTime> completed;
};

TransferSight sight_of(const json::Json& resource);
TransferSight sight_of(const extension::TransferProgress& progress);

inline bool is_over(const TransferSight& sight) {
  return sight.state == TransferSight::State::kCompleted || sight.state == TransferSight::State::kFailed;
}

// Why it has failed: its message, or the phase for want of one.
std::string failure_text(const TransferSight& sight);

// Bytes never go down from what was published before, but to a total that has become smaller: a plugin that has died
// over them may count from the start.
void keep_bytes(TransferSight& sight, const TransferSight& before);

// Puts into the status of a resource what the plugin has said when it was asked. Times are the server's own: the start
// is when it was first seen, the completion when it was first seen to be over, whichever way.
Status set_transfer_status(json::Json& resource, const extension::TransferProgress& progress, WallTime now);

}  // namespace landfall::control
