#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/object_ref.h"

namespace landfall::operation {

enum class OperationPhase : std::uint8_t { kNew, kInProgress, kCompleted, kFailed };
std::string_view to_string(OperationPhase phase);
inline bool is_final(OperationPhase phase) {
  return phase == OperationPhase::kCompleted || phase == OperationPhase::kFailed;
}

// Something that an action of a backup or restore has started for one object and that went on after it: an entry of
// `NAME-itemoperations.json.gz`, in Velero's form.
struct ItemOperation {
  std::string owner_name;  // of the Backup or Restore
  std::string owner_uid;
  std::string action;  // "velero.io/csi-pvc-backupper"
  std::string operation_id;
  k8s::ObjectRef item;
  std::vector<k8s::ObjectRef> after_operation;  // to be taken again once it is over

  OperationPhase phase = OperationPhase::kNew;
  std::string error;
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string units;
  std::string description;
  std::optional<WallTime> created;
  std::optional<WallTime> started;
  std::optional<WallTime> updated;

  friend bool operator==(const ItemOperation&, const ItemOperation&) = default;
};

enum class OperationOwner : std::uint8_t { kBackup, kRestore };

// The file's document. An empty list is an empty list.
json::Json to_json(const std::vector<ItemOperation>& operations, OperationOwner owner);
// null is none, as in files that Velero wrote. kDataLoss for what is no such file.
Result<std::vector<ItemOperation>> read_operations(const json::Json& document, OperationOwner owner);

}  // namespace landfall::operation
