#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::extension {

// What kind of volume one is, to make one like it.
struct VolumeTraits {
  std::string type;
  std::optional<std::int64_t> iops;  // where they are bought
};

// How far the bytes of a snapshot are, or of a volume that is made of one. Phases as those of a VolumePluginBackup:
// New, InProgress, Completed, Failed, Canceled; others are shown as they are.
struct TransferProgress {
  std::string phase;
  std::string message;
  std::int64_t total_bytes = 0;
  std::int64_t bytes_done = 0;
  std::optional<WallTime> started;
  std::optional<WallTime> completed;
  std::map<std::string, std::string> plugin_specific;  // what the user should know of it
};

// Takes snapshots of the volumes of one storage provider and makes volumes of them; plugins implement it. Thread-safe.
// What goes on after create_snapshot() and create_volume() have returned is told by the plugin's own
// VolumePluginBackups and -Restores, or by the two progress calls. No call hangs when the plugin dies.
class VolumeSnapshotter {
 public:
  VolumeSnapshotter() = default;
  VolumeSnapshotter(const VolumeSnapshotter&) = delete;
  VolumeSnapshotter& operator=(const VolumeSnapshotter&) = delete;
  virtual ~VolumeSnapshotter() = default;

  // The provider's name for the volume of a PersistentVolume; empty when it is not one of the provider's.
  virtual Result<std::string> volume_id(const json::Json& volume, const std::stop_token& stop) = 0;
  // Refers to another volume in a PersistentVolume.
  virtual Status set_volume_id(json::Json& volume, const std::string& volume_id, const std::stop_token& stop) = 0;
  virtual Result<VolumeTraits> volume_traits(const std::string& volume_id, const std::string& zone,
                                             const std::stop_token& stop) = 0;

  // Returns the snapshot's ID.
  virtual Result<std::string> create_snapshot(const std::string& volume_id, const std::string& zone,
                                              const std::map<std::string, std::string>& tags,
                                              const std::stop_token& stop) = 0;
  // Returns the ID of the new volume.
  virtual Result<std::string> create_volume(const std::string& snapshot_id, const VolumeTraits& traits,
                                            const std::string& zone, const std::stop_token& stop) = 0;
  // A snapshot that is gone already is no error for a good plugin.
  virtual Status delete_snapshot(const std::string& snapshot_id, const std::stop_token& stop) = 0;

  // The optional service. kUnsupported from a plugin that does not have it, kNotFound for what it does not know.
  virtual Result<TransferProgress> snapshot_progress(const std::string& snapshot_id, const std::stop_token& stop) = 0;
  virtual Result<TransferProgress> volume_progress(const std::string& volume_id, const std::string& snapshot_id,
                                                   const std::stop_token& stop) = 0;
  virtual Status cancel_snapshot(const std::string& snapshot_id, const std::stop_token& stop) = 0;
  virtual Status cancel_volume(const std::string& volume_id, const std::string& snapshot_id,
                               const std::stop_token& stop) = 0;
};

}  // namespace landfall::extension
