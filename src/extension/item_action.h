#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/object_ref.h"

// What is done to single objects on their way into a backup and out of it, by Landfall itself and by plugins.
namespace landfall::extension {

// Which objects an action is for: resources as users write them ("pods", "deployments.apps"), and namespaces. Empty
// lists and "*" mean all; an empty selector matches everything.
struct ActionScope {
  std::vector<std::string> included_namespaces;
  std::vector<std::string> excluded_namespaces;
  std::vector<std::string> included_resources;
  std::vector<std::string> excluded_resources;
  std::string label_selector;
};

// How far an operation is that an action has started and that goes on after it returned.
struct OperationProgress {
  bool is_completed = false;
  std::string error;  // of an operation that has failed
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string units;  // "bytes"
  std::string description;
  std::optional<WallTime> started;
  std::optional<WallTime> updated;
};

// Everything that can be waited for after the items are done: operations of item actions, data movers, plugins' own
// resources. Asked again and again until it is completed; by an id, because a restarted server goes on asking.
class Waitable {
 public:
  Waitable() = default;
  Waitable(const Waitable&) = delete;
  Waitable& operator=(const Waitable&) = delete;
  virtual ~Waitable() = default;

  // `owner` is the Backup or Restore that the operation belongs to.
  virtual Result<OperationProgress> progress(const std::string& operation_id, const json::Json& owner,
                                             const std::stop_token& stop) = 0;
  virtual Status cancel(const std::string& operation_id, const json::Json& owner, const std::stop_token& stop) = 0;
};

// What a BackupItemAction made of an object.
struct BackupActionResult {
  std::unique_ptr<json::Json> changed;  // in place of the object; null: it stays as it is
  std::vector<k8s::ObjectRef> additional;
  // The additional items are taken whatever the filters say.
  bool must_include = false;
  // The object is not taken after all.
  bool skip = false;
  // An operation that goes on: `waitable()` of the action is asked for it, and then these are taken (again).
  std::string operation_id;
  std::vector<k8s::ObjectRef> after_operation;
};

// Sees every object of its scope before it is stored. Thread-safe: objects are handled in parallel.
class BackupItemAction {
 public:
  BackupItemAction() = default;
  BackupItemAction(const BackupItemAction&) = delete;
  BackupItemAction& operator=(const BackupItemAction&) = delete;
  virtual ~BackupItemAction() = default;

  // "velero.io/pod"
  virtual std::string name() const = 0;
  virtual ActionScope scope() const = 0;
  // An error fails the object: it is not stored, the rest of the backup goes on.
  virtual Result<BackupActionResult> execute(const json::Json& item, const json::Json& backup,
                                             const std::stop_token& stop) = 0;
  // Null for actions that never start an operation.
  virtual Waitable* waitable() { return nullptr; }
};

// What a RestoreItemAction gets to see of an object.
struct RestoreActionInput {
  const json::Json& item;         // as it is on its way into the cluster, still with its namespace in the backup
  const json::Json& from_backup;  // as the backup has it
  const json::Json& restore;      // the Restore
};

// What a RestoreItemAction made of an object.
struct RestoreActionResult {
  std::unique_ptr<json::Json> changed;     // in place of the object; null: it stays as it is
  std::vector<k8s::ObjectRef> additional;  // restored before it; with their namespaces in the backup
  // The object is not restored.
  bool skip = false;
  // An operation that goes on: `waitable()` of the action is asked for it.
  std::string operation_id;
  // The object waits until are_ready() says yes to its additional items, for so long at most; 0: the server's time.
  bool waits_for_additional = false;
  Duration additional_timeout{};
};

// Sees every object of its scope before it is created. Thread-safe: objects are handled in parallel.
class RestoreItemAction {
 public:
  RestoreItemAction() = default;
  RestoreItemAction(const RestoreItemAction&) = delete;
  RestoreItemAction& operator=(const RestoreItemAction&) = delete;
  virtual ~RestoreItemAction() = default;

  // "velero.io/pod"
  virtual std::string name() const = 0;
  // Namespaces are those in the cluster, after mapping.
  virtual ActionScope scope() const = 0;
  // An error fails the object: it is not restored, the rest of the restore goes on.
  virtual Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) = 0;
  // Whether the additional items that it has asked for can be used; with their namespaces in the backup.
  virtual Result<bool> are_ready(const std::vector<k8s::ObjectRef>& additional, const json::Json& restore,
                                 const std::stop_token& stop) {
    static_cast<void>(additional);
    static_cast<void>(restore);
    static_cast<void>(stop);
    return true;
  }
  // Null for actions that never start an operation.
  virtual Waitable* waitable() { return nullptr; }
  // Whether execute() does something to the cluster besides looking. Then it is not run for a preview.
  virtual bool changes_cluster() const { return false; }
};

// Sees every object of its scope in a backup that is being deleted, for what has to go with it.
class DeleteItemAction {
 public:
  DeleteItemAction() = default;
  DeleteItemAction(const DeleteItemAction&) = delete;
  DeleteItemAction& operator=(const DeleteItemAction&) = delete;
  virtual ~DeleteItemAction() = default;

  virtual std::string name() const = 0;
  virtual ActionScope scope() const = 0;
  virtual Status execute(const json::Json& item, const json::Json& backup, const std::stop_token& stop) = 0;
};

// Names the objects that belong into one block with an object of its scope: they are handled together. Thread-safe.
class ItemBlockAction {
 public:
  ItemBlockAction() = default;
  ItemBlockAction(const ItemBlockAction&) = delete;
  ItemBlockAction& operator=(const ItemBlockAction&) = delete;
  virtual ~ItemBlockAction() = default;

  virtual std::string name() const = 0;
  virtual ActionScope scope() const = 0;
  virtual Result<std::vector<k8s::ObjectRef>> related_items(const json::Json& item, const json::Json& backup,
                                                            const std::stop_token& stop) = 0;
};

}  // namespace landfall::extension
