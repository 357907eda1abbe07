#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "json/json_fwd.h"

namespace landfall::control {

// Data of a backup that is kept outside its folder in the bucket.
enum class VolumeData : std::uint8_t {
  kNativeSnapshots,  // of volume snapshotters: B-volumesnapshots.json.gz
  kPluginSnapshots,  // of those that tell their progress: B-volumepluginbackups.json.gz, VolumePluginBackups
  kPodVolumes,       // files of pods' volumes in a repository: PodVolumeBackups
  kCsiSnapshots,
  kMovedSnapshots,  // the contents of CSI snapshots in a repository: DataUploads
};

// For messages: "pod volumes (restic or kopia)".
std::string_view to_string(VolumeData data);

// Removes what a backup keeps outside its folder, of one sort or several. Whoever stores such data brings one of these.
// Thread-safe.
class BackupCleanup {
 public:
  BackupCleanup() = default;
  BackupCleanup(const BackupCleanup&) = delete;
  BackupCleanup& operator=(const BackupCleanup&) = delete;
  virtual ~BackupCleanup() = default;

  virtual std::string name() const = 0;
  virtual bool handles(VolumeData data) const = 0;
  // Whether all of it can be deleted here, as far as that is known beforehand. Called before anything of the backup is
  // deleted, here or by others; an error says why not.
  virtual Status check(const json::Json& /*backup*/, bucket::BackupStore& /*store*/, const std::stop_token& /*stop*/) {
    return {};
  }
  // Called before the folder is removed, so its files can be read. May be called again for data that is gone, all of it
  // or in part: a deletion that was interrupted starts over. That is no error.
  virtual Status clean(const json::Json& backup, bucket::BackupStore& store, const std::stop_token& stop) = 0;
};

}  // namespace landfall::control
