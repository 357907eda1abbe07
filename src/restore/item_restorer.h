#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "operation/item_operation.h"
#include "restore/item_book.h"
#include "restore/namespace_keeper.h"
#include "restore/restore_action_set.h"
#include "restore/restore_job.h"
#include "restore/target.h"
#include "restore/volume_book.h"
#include "restore/volume_decision.h"
#include "selection/restore_filter.h"

namespace landfall::restore {

// Everything that the items of one restore share. All of it outlives them, and is thread-safe.
struct ItemWorld {
  const RestoreJob& job;
  RestoreTools& tools;
  const Guarded<std::shared_ptr<const kube::Discovery>>& discovery;  // may get newer
  const selection::RestoreFilter& filter;
  const RestoreActionSet& actions;
  const VolumeDecisions& volumes;
  Target& target;
  NamespaceKeeper& namespaces;
  ItemBook& book;
  VolumeBook& volume_book;
  bool is_preview = false;
};

// Restores items: what Velero does to each, in its order. Items that actions ask for are restored before the one that
// wants them, once, whoever asks. Thread-safe.
class ItemRestorer {
 public:
  explicit ItemRestorer(const ItemWorld& world) : world_(world) {}

  // Items that become the same object are one: `planned` is the one that does. Before anything is restored.
  void note_planned(const archive::IndexedItem& item);
  // Of this resource the form of that version is restored, where an item has it, whoever asks; empty: the plain one.
  void note_version(const k8s::GroupResource& resource, const std::string& version);
  // Operations that an earlier process has begun.
  void replay(std::vector<operation::ItemOperation> operations);

  // True when the object is in the cluster afterwards. An error is kCancelled: the item has not ended.
  Result<bool> restore(const archive::IndexedItem& wanted, selection::Met met, ItemBook::Worker worker,
                       const std::stop_token& stop);

  std::vector<operation::ItemOperation> operations() const;

 private:
  friend class ItemWork;
  // The item by which this one is known.
  archive::IndexedItem known_as(const archive::IndexedItem& item, const std::string& target_namespace);
  void finish(const archive::IndexedItem& item, const std::string& target_namespace, ItemEnd end);
  void remember(operation::ItemOperation operation);
  bool keeps_managed_fields(const k8s::GroupResource& resource) const;

  const ItemWorld world_;
  Guarded<std::map<std::string, std::uint32_t>> same_objects_;  // where namespaces are mapped
  Guarded<std::map<k8s::GroupResource, std::string>> versions_;
  Guarded<std::vector<operation::ItemOperation>> operations_;
};

}  // namespace landfall::restore
