#pragma once

#include <vector>

#include "base/environment.h"
#include "control/context.h"
#include "control/pod_volume_cleanup.h"
#include "control/snapshot_cleanup.h"
#include "control/uploader_repository_manager.h"
#include "server/uploaders.h"

namespace landfall::server {

// What the server needs for the data of volumes: who looks after repositories, and who forgets what is in them, or in
// snapshots.
class VolumeParts {
 public:
  // All of it is borrowed.
  VolumeParts(const control::Context& context, Uploaders& uploaders, const Environment& environment);
  VolumeParts(const VolumeParts&) = delete;
  VolumeParts& operator=(const VolumeParts&) = delete;
  ~VolumeParts() = default;

  std::vector<control::RepositoryManager*> managers();
  std::vector<control::BackupCleanup*> cleanups() { return {&cleanup_, &snapshot_cleanup_}; }

 private:
  std::vector<std::unique_ptr<control::UploaderRepositoryManager>> managers_;
  control::PodVolumeCleanup cleanup_;
  control::SnapshotCleanup snapshot_cleanup_;
};

}  // namespace landfall::server
