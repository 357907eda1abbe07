#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "json/json.h"
#include "kube/client.h"
#include "volume_info/cluster_volumes.h"
#include "volume_info/handled_object.h"
#include "volume_info/restored_rows.h"
#include "volume_info/volume_info.h"
#include "volume_info/without_data.h"

namespace landfall::volume_info {

// Keeps account of the volumes of one restore: collects who brings data to which claim while the restore runs, and in
// the end makes a row of each. Every claim that was handled gets one, also without data, and then with the reason.
//
// A best effort: what cannot be read from the cluster is a warning in the restore's log, and its rows say less. Used by
// one thread.
class RestoreVolumeInfoTracker {
 public:
  struct Request {
    std::string name_space;  // the server's
    std::string restore;     // its name …
    std::string uid;         // … and UID
    RestoreWish wish;
  };
  // Client and clock are borrowed.
  RestoreVolumeInfoTracker(kube::Client& client, const Clock& clock, Request request, Logger log);

  // Claims and PersistentVolumes, by the restore's list of resources.
  void handled(std::vector<HandledObject> claims, const std::vector<HandledObject>& volumes);
  void restored_from_snapshot(RestoredNative native);
  // In its last state.
  void pod_volume_restore(const json::Json& pod_volume_restore);
  // An operation of an item action that is about a claim, by its name now: who knows what it brings.
  void operation_on(const k8s::NamespacedName& claim, const std::string& action) { operations_[claim] = action; }
  void cut_off() { request_.wish.is_cut_off = true; }

  // A claim that has not got what the backup has of it, and that no result of the restore tells of yet.
  struct Missing {
    bool is_error = true;
    std::string name_space;
    std::string text;
  };
  struct Account {
    std::vector<RestoredVolume> rows;  // by the names of the claims
    std::vector<Missing> missing;
  };
  // `backup` is what the backup has. Reads the cluster.
  Account generate(const BackedUpClaims& backup, const std::stop_token& stop);

 private:
  using Rows = std::map<k8s::NamespacedName, RestoredVolume>;
  void add_filled(RestoredVolume row);
  void add_unnamed(const ClusterVolumes& cluster);
  void add_natives(const ClusterVolumes& cluster, const BackedUpClaims& backup);
  void add_claim_row(const HandledObject& claim, const BackedUpVolume* backup, const ClusterVolumes& cluster,
                     Account& account);
  std::set<k8s::NamespacedName> wanted_claims() const;
  void explain(const HandledObject& claim, const BackedUpVolume* backup, const ClusterVolumes& cluster,
               Account& account);
  // Why nobody can say whether it has its data; empty: it can be said.
  static std::string unknown(const HandledObject& claim, const BackedUpVolume* backup, const ClusterVolumes& cluster);
  static void say(const HandledObject& claim, bool is_error, const std::string& message, Account& account);
  // The run is over: what nothing will bring to an end has ended.
  void close(RestoredVolume& row) const;
  // The PersistentVolume of a claim, where the restore has handled it or the claim is bound to it again.
  std::optional<HandledObject> volume_of(const HandledObject& claim, const BackedUpVolume* backup,
                                         const ClusterVolumes& cluster) const;

  kube::Client& client_;
  const Clock& clock_;
  Request request_;
  const Logger log_;
  std::vector<HandledObject> claims_;
  std::map<std::string, HandledObject> volumes_;  // by their names in the backup
  std::vector<RestoredNative> natives_;
  std::map<k8s::NamespacedName, std::string> operations_;
  Rows rows_;                         // of claims that somebody brings data to, by their names now
  std::vector<RestoredVolume> rest_;  // rows of volumes without a claim
  std::vector<std::pair<std::string, RestoredVolume>> by_claim_uid_;  // whose claims are known by their UIDs only
};

}  // namespace landfall::volume_info
