#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "archive/archive_writer.h"
#include "backup/action_set.h"
#include "backup/backup_job.h"
#include "backup/item_table.h"
#include "backup/object_spool.h"
#include "backup/volume_choice.h"
#include "backup/volume_ledger.h"
#include "base/guarded.h"
#include "operation/item_operation.h"

namespace landfall::backup {

// Backs up one object after another, and what each brings with it: actions, volumes, related objects, its place in the
// archive. Thread-safe: workers call it at once, and every object is handled once, whoever asks for it.
//
// What goes wrong with an object is an error in the log and that object is not stored; the rest goes on. What is
// returned ends the backup: a stop, or an archive that cannot be written.
class ItemBackupper {
 public:
  // The table must be sealed. All of them must outlive it.
  ItemBackupper(const BackupJob& job, BackupTools& tools, const ActionSet& actions, ItemTable& table,
                const ObjectSpool& spool, archive::ArchiveWriter& archive, VolumeLedger& ledger);

  // One that was collected.
  Status back_up(std::size_t index, const std::stop_token& stop);
  // One that was collected is not stored after all: a hook has failed, which is in the log.
  void fail_item(std::size_t index);
  // One that something asks for. One that is not there is a warning, unless it `may_be_missing`.
  struct Wish {
    k8s::ObjectRef ref;
    selection::Met met = selection::Met::kAsAdditionalItem;
    bool may_be_missing = false;
  };
  Status back_up_related(const Wish& wish, const std::stop_token& stop);

  // The document of an object that was collected.
  Result<json::Json> document(std::size_t index) const;
  Status bytes(std::size_t index, std::string& into) const;

  // Objects that were not collected but asked for, in order.
  std::vector<k8s::ObjectRef> related() const;
  std::vector<operation::ItemOperation> operations() const;

 private:
  struct Item;
  Status handle(Item& item, const std::stop_token& stop);
  // Whether it was stored.
  Result<bool> store(Item& item, const std::stop_token& stop);
  Result<bool> run_actions(Item& item, const std::stop_token& stop);
  Status apply(Item& item, extension::BackupItemAction& action, extension::BackupActionResult result,
               const std::stop_token& stop);
  Status take_pod_volumes(const Item& item, const std::stop_token& stop);
  void say_skipped(const Item& item, const std::string& volume, const std::string& why) const;
  Status begin_pod_volumes(const Item& item, const std::vector<VolumeChoice>& chosen, const std::stop_token& stop);
  Status take_snapshot(const Item& item, const std::stop_token& stop);
  // Whether files of a claim are copied out of a pod that has it.
  Result<bool> is_copied_from_pod(const k8s::NamespacedName& claim, const std::stop_token& stop);
  Result<std::shared_ptr<const std::vector<json::Json>>> pods_of(const std::string& name_space,
                                                                 const std::stop_token& stop);
  Result<bool> write(const Item& item);
  Result<FoundClaim> find_claim(const std::string& name_space, const std::string& claim, const std::stop_token& stop);
  Result<std::shared_ptr<const json::Json>> look_up(const k8s::ObjectRef& ref, const std::stop_token& stop);
  Logger log_of(const ItemName& name) const;

  const BackupJob& job_;
  BackupTools& tools_;
  const ActionSet& actions_;
  ItemTable& table_;
  const ObjectSpool& spool_;
  VolumeLedger& ledger_;
  const VolumeRules volume_rules_;
  std::mutex writing_;
  archive::ArchiveWriter& archive_;
  Guarded<std::set<k8s::ObjectRef>> related_;
  Guarded<std::vector<operation::ItemOperation>> operations_;
  Guarded<std::set<k8s::NamespacedName>> taken_claims_;
  Guarded<std::map<std::string, std::shared_ptr<const std::vector<json::Json>>>> pods_;  // by namespace
};

}  // namespace landfall::backup
