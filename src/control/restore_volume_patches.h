#pragma once

#include <chrono>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "control/context.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_ref.h"
#include "operation/item_operation.h"
#include "operation/results.h"

namespace landfall::control {

// A claim that the restore has created and whose volume is provisioned anew, with what its old volume had.
struct PatchedVolume {
  std::string name_space;  // in the cluster
  std::string claim;
  std::string reclaim_policy;  // empty: it is only waited for
  json::StringMap labels;

  friend bool operator==(const PatchedVolume&, const PatchedVolume&) = default;
};

// Those of a restore: by the volume information of its backup, for volumes that were backed up file by file or as CSI
// snapshots. A claim that an operation was to fill and has not is left alone. Pure.
std::vector<PatchedVolume> volumes_to_patch(const json::Json& volume_infos, const json::Json& resource_list,
                                            const std::vector<operation::ItemOperation>& operations,
                                            const json::StringMap& namespace_mapping);

// Claims that are to be made of CSI snapshots and were not bound when the run ended, by the restore's own volume
// information, but for those that are `known` already: modifiers may have renamed them. Pure.
std::vector<PatchedVolume> claims_to_await(const json::Json& restored_volume_infos,
                                           const std::vector<PatchedVolume>& known);

// Waits until such claims are bound and gives their volumes the reclaim policy and the labels of the old ones, which a
// provisioner does not know. Labels that it has set itself go, as in Velero. A claim that waits for its first consumer
// is left alone until there is one. Not thread-safe.
class RestoreVolumePatches {
 public:
  // What is not bound after so long is an error.
  RestoreVolumePatches(const Context& context, std::vector<PatchedVolume> volumes, Duration timeout)
      : context_(context), left_(std::move(volumes)), deadline_(context.clock.after(timeout)) {}

  // Looks at those that are left, every few seconds at most; true when none are.
  bool advance(const std::stop_token& stop);
  std::string waiting_for() const;
  const operation::ResultList& errors() const { return errors_; }
  // Claims that were waited for in vain.
  const std::set<k8s::NamespacedName>& unbound() const { return unbound_; }

 private:
  // True when nothing more is to be done for it.
  Result<bool> settle(const PatchedVolume& volume, const std::stop_token& stop) const;
  Result<bool> waits_for_consumer(const json::Json& claim, const std::stop_token& stop) const;
  Status patch(const json::Json& volume, const PatchedVolume& wanted, const std::stop_token& stop) const;

  const Context context_;
  std::vector<PatchedVolume> left_;
  const SteadyTime deadline_;
  SteadyTime next_look_;
  operation::ResultList errors_;
  std::set<k8s::NamespacedName> unbound_;
};

}  // namespace landfall::control
