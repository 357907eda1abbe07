#pragma once

#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "json/json.h"
#include "k8s/object_ref.h"
#include "kube/client.h"

namespace landfall::volume_info {

// What the cluster tells of the volumes of a restore.
struct ClusterVolumes {
  using Objects = std::map<k8s::NamespacedName, json::Json>;
  Objects claims;                          // of those that were asked for
  Objects snapshots;                       // VolumeSnapshots that these are made of
  std::vector<json::Json> data_downloads;  // of the restore
  // False: they could not be read, or not all.
  bool has_claims = true;
  bool has_snapshots = true;
  bool has_downloads = true;
};

struct VolumesWanted {
  std::string name_space;                // the server's
  std::string restore;                   // its name …
  std::string uid;                       // … and UID: one of that name may have been there before
  std::set<k8s::NamespacedName> claims;  // in the cluster
};

// Reads lists, some at a time, never object by object: the number of calls grows with the pages, not with the claims.
// What cannot be read is missing, and a warning in the log; nothing is waited for longer than half a minute. Kinds that
// the cluster does not have are no matter.
ClusterVolumes read_cluster_volumes(kube::Client& client, const VolumesWanted& wanted, const Logger& log,
                                    const std::stop_token& stop);

}  // namespace landfall::volume_info
