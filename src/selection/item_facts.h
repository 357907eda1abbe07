#pragma once

#include <string_view>

#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "k8s/label_selector.h"

namespace landfall::selection {

inline constexpr std::string_view kExcludeFromBackupLabel = "velero.io/exclude-from-backup";

// What the filters need to know of one object. Whoever has the object only as bytes may fill it without a document.
// Points into what it was made from.
struct ItemFacts {
  k8s::GroupResource resource;
  std::string_view kind;
  std::string_view name_space;  // in the backup, before any mapping; empty for a cluster-scoped object
  std::string_view name;
  k8s::LabelSelector::Lookup label;  // no function: no labels
  bool is_being_deleted = false;
  bool is_completed = false;   // a pod that Succeeded or Failed, a Job with a completion time
  bool is_mirror_pod = false;  // the kubelet's picture of a pod that it has from a file
};

// Reads them from an object. The document must outlive the facts.
ItemFacts item_facts(k8s::GroupResource resource, const json::Json& object);
ItemFacts item_facts(k8s::GroupResource resource, const json::Json&& object) = delete;

// The labels as a function, for facts without labels too.
k8s::LabelSelector::Lookup labels_of(const ItemFacts& facts);
bool has_exclude_label(const ItemFacts& facts);

// "pods shop/web-0", for reasons.
std::string describe(const ItemFacts& facts);

}  // namespace landfall::selection
