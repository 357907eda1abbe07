#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"
#include "k8s/label_selector.h"
#include "selection/includes_excludes.h"
#include "selection/list_rules.h"
#include "selection/namespace_filter.h"
#include "selection/scoped_lists.h"

namespace landfall::selection {

struct ResourcePolicies;

// What a Backup's spec says about what to take. A plain value.
struct BackupFilterSpec {
  Names included_namespaces;
  Names excluded_namespaces;
  // The old filters.
  Names included_resources;
  Names excluded_resources;
  std::optional<bool> include_cluster_resources;
  // The new ones.
  ScopedLists scoped;
  std::optional<k8s::LabelSelector> label_selector;
  std::vector<k8s::LabelSelector> or_label_selectors;

  // A backup without any filter counts as one with the new filters.
  bool uses_old_filters() const {
    return include_cluster_resources || !included_resources.empty() || !excluded_resources.empty();
  }
};

// Snapshots are taken by Landfall itself, so these are never taken directly; they come in as related items.
inline constexpr std::string_view kVolumeSnapshots = "volumesnapshots.snapshot.storage.k8s.io";
inline constexpr std::string_view kVolumeSnapshotContents = "volumesnapshotcontents.snapshot.storage.k8s.io";
bool is_excluded_automatically(std::string_view resource);

// Reads `spec` of a Backup (or the template of a Schedule). What cannot be read is a message, named by its field.
BackupFilterSpec read_backup_filter_spec(const json::Json& spec, Messages& problems);

// All that is wrong with the filters, for `status.validationErrors`. `policies` may be null; `live` are the namespaces
// of the cluster.
Messages backup_filter_problems(const BackupFilterSpec& spec, const ResourcePolicies* policies,
                                const std::vector<LiveNamespace>& live);

// The filters as Velero stores them in the Backup before it starts: "*" for no included namespaces, labelled namespaces
// and volume snapshots among the excludes. Doing it again changes nothing, and a filter made from either is the same.
// Unlike Velero, an include list is never emptied by this: it would then mean everything.
BackupFilterSpec completed(BackupFilterSpec spec, const std::vector<LiveNamespace>& live);

}  // namespace landfall::selection
