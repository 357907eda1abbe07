#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/kinds.h"

namespace landfall::restore {

// What a preview says would become of an item.
enum class Prediction : std::uint8_t { kCreate, kUpdate, kUnchanged, kConflict, kSkip, kFail };
std::string_view to_string(Prediction prediction);  // "create" …

// The items of one resource that come from one namespace of the backup, and where they go.
struct PlannedGroup {
  std::string original_namespace;  // empty: cluster-scoped
  std::string target_namespace;
  std::vector<std::string> names;  // in the order of the archive

  // Of a preview only: one for each name, and why, where there is more to say than the word.
  struct Forecast {
    Prediction prediction = Prediction::kCreate;
    std::string reason;
    friend bool operator==(const Forecast&, const Forecast&) = default;
  };
  std::vector<Forecast> forecasts;

  friend bool operator==(const PlannedGroup&, const PlannedGroup&) = default;
};

// A stage: all that is restored of one resource, after everything before it and before everything after it.
struct PlannedResource {
  k8s::GroupResource resource;
  // What the cluster calls it, as discovery said when the plan was made. The version is that of the objects in the
  // backup, unless `from_version` says that another form of them is restored.
  std::string version;
  std::string kind;
  bool is_namespaced = false;
  std::string from_version;  // the directory of the archive; empty: the plain form
  std::vector<PlannedGroup> groups;

  std::int64_t total() const;
  friend bool operator==(const PlannedResource&, const PlannedResource&) = default;
};

// A namespace that is not in the cluster and that something is restored into.
struct PlannedNamespace {
  std::string name;
  std::string original;       // whose labels and annotations it gets
  bool is_in_backup = false;  // the archive has that Namespace
  friend bool operator==(const PlannedNamespace&, const PlannedNamespace&) = default;
};

// Items that are left alone, for one reason.
struct NotSelected {
  k8s::GroupResource resource;
  std::string original_namespace;
  std::string reason;  // "NamespaceExcluded": selection::Reason, and those of the engine
  std::vector<std::string> names;
  friend bool operator==(const NotSelected&, const NotSelected&) = default;
};

// What a restore does, in which order, and what it leaves alone, and why. A value: made before anything but definitions
// is restored, stored with the restore, and from then on the truth.
struct Plan {
  std::string restore;
  std::string restore_uid;
  std::string backup;
  bool is_preview = false;
  std::int64_t items_in_backup = 0;  // in the archive
  std::int64_t total_of_backup = 0;  // what the Backup itself counts; 0: it does not say
  std::vector<PlannedNamespace> namespaces;
  std::vector<PlannedResource> resources;  // in order
  std::vector<NotSelected> not_selected;

  // Items and namespaces.
  std::int64_t total() const;
  std::int64_t not_selected_total() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace landfall::restore
