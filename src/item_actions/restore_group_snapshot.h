#pragma once

#include <set>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "kube/resource.h"

namespace landfall::item_actions {

// Stand-ins for the VolumeGroupSnapshotContents of a backup. Some drivers say of a single snapshot that it belongs to a
// group, and the snapshot controller then wants to see that group. As in Velero, one is made for each group of the
// restore, named after its handle, and holds the handles of all its snapshots.
//
// Snapshots of one group come from several threads at once: one after another enters its handle, while the others wait
// without a lock. Thread-safe.
class GroupSnapshotStubs {
 public:
  // Borrows the client; the discovery is needed only during the call.
  GroupSnapshotStubs(kube::Client& client, const kube::Discovery& discovery);

  // Does nothing for a snapshot that belongs to no group, or whose handle or driver the backup has not noted.
  Status ensure(const json::Json& snapshot_in_backup, const json::Json& restore, const std::stop_token& stop);

 private:
  struct Member;

  Status add(const Member& member, const json::Json& restore, const std::stop_token& stop) const;
  Status create(const Member& member, const json::Json& restore, const std::stop_token& stop) const;
  Status extend(const Member& member, const json::Json& stub, const std::stop_token& stop) const;
  json::Json secrets_of(const std::string& driver, const std::stop_token& stop) const;

  kube::Client& client_;
  kube::Resource contents_;
  kube::Resource classes_;
  Monitor<std::set<std::string>> busy_;  // names of stubs
};

}  // namespace landfall::item_actions
