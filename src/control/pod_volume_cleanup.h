#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/backup_cleanup.h"
#include "control/context.h"
#include "control/uploader_repository_manager.h"
#include "extension/uploader.h"

namespace landfall::control {

// Forgets the snapshots that a backup has in the repositories of pod volumes. What only they needed is freed when the
// repository is maintained. Snapshots that only Velero can delete are an error before anything is forgotten.
class PodVolumeCleanup final : public BackupCleanup {
 public:
  // The uploaders are borrowed.
  PodVolumeCleanup(const Context& context, std::vector<extension::Uploader*> uploaders, FindRepository find_repository)
      : context_(context), uploaders_(std::move(uploaders)), find_repository_(std::move(find_repository)) {}

  std::string name() const override { return "pod volumes"; }
  bool handles(VolumeData data) const override { return data == VolumeData::kPodVolumes; }
  // That there is an uploader for all of them.
  Status check(const json::Json& backup, bucket::BackupStore& store, const std::stop_token& stop) override;
  Status clean(const json::Json& backup, bucket::BackupStore& store, const std::stop_token& stop) override;

 private:
  // Of one repository.
  struct Place {
    std::string type;
    std::string volume_namespace;
    auto operator<=>(const Place&) const = default;
  };
  using Snapshots = std::map<Place, std::set<std::string>>;
  Result<Snapshots> snapshots_of(const json::Json& backup, bucket::BackupStore& store,
                                 const std::stop_token& stop) const;
  Status forget(const Place& place, const FoundLocation& location, const std::set<std::string>& snapshots,
                const std::stop_token& stop) const;
  // kUnsupported when nobody here can delete them.
  Result<extension::Uploader*> uploader(const Place& place, const std::set<std::string>& snapshots) const;

  const Context& context_;
  const std::vector<extension::Uploader*> uploaders_;
  const FindRepository find_repository_;
};

}  // namespace landfall::control
