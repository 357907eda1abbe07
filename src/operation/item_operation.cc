#include "operation/item_operation.h"

#include <array>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::operation {
namespace {

constexpr std::array<std::string_view, 4> kPhases = {"New", "InProgress", "Completed", "Failed"};

struct Words {
  std::string_view name;
  std::string_view uid;
  std::string_view action;
};
Words words(OperationOwner owner) {
  if (owner == OperationOwner::kBackup) return {"backupName", "backupUID", "backupItemAction"};
  return {"restoreName", "restoreUID", "restoreItemAction"};
}

json::Json reference(const k8s::ObjectRef& ref) {
  return {{"Group", ref.resource.group},
          {"Resource", ref.resource.resource},
          {"Namespace", ref.name_space},
          {"Name", ref.name}};
}

k8s::ObjectRef read_reference(const json::Json& document) {
  return {.resource = {json::string_or(document, {"Group"}, ""), json::string_or(document, {"Resource"}, "")},
          .name_space = json::string_or(document, {"Namespace"}, ""),
          .name = json::string_or(document, {"Name"}, "")};
}

void put(json::Json& object, std::string_view key, const std::string& value) {
  if (!value.empty()) object[std::string(key)] = value;
}
void put(json::Json& object, std::string_view key, std::int64_t value) {
  if (value != 0) object[std::string(key)] = value;
}
void put(json::Json& object, std::string_view key, std::optional<WallTime> value) {
  if (value) object[std::string(key)] = format_rfc3339(*value);
}

json::Json to_json(const ItemOperation& operation, OperationOwner owner) {
  const Words names = words(owner);
  json::Json spec = {{std::string(names.name), operation.owner_name},
                     {std::string(names.uid), operation.owner_uid},
                     {std::string(names.action), operation.action},
                     {"operationID", operation.operation_id},
                     {"resourceIdentifier", reference(operation.item)}};
  if (owner == OperationOwner::kBackup) {
    spec["postOperationItems"] = nullptr;
    for (const k8s::ObjectRef& ref : operation.after_operation) spec["postOperationItems"].push_back(reference(ref));
  }
  json::Json status = {{"phase", std::string(to_string(operation.phase))}};
  put(status, "error", operation.error);
  put(status, "nCompleted", operation.done);
  put(status, "nTotal", operation.total);
  put(status, "operationUnits", operation.units);
  put(status, "description", operation.description);
  put(status, "created", operation.created);
  put(status, "started", operation.started);
  put(status, "updated", operation.updated);
  return {{"spec", std::move(spec)}, {"status", std::move(status)}};
}

std::optional<WallTime> read_time(const json::Json& document, std::string_view key) {
  const std::string* text = json::find_string(document, {"status", key});
  if (text == nullptr) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  return time ? std::optional<WallTime>(*time) : std::nullopt;
}

Result<ItemOperation> read_operation(const json::Json& document, OperationOwner owner) {
  const Words names = words(owner);
  ItemOperation operation;
  operation.owner_name = json::string_or(document, {"spec", names.name}, "");
  operation.owner_uid = json::string_or(document, {"spec", names.uid}, "");
  operation.action = json::string_or(document, {"spec", names.action}, "");
  operation.operation_id = json::string_or(document, {"spec", "operationID"}, "");
  if (operation.operation_id.empty()) return fail(Code::kDataLoss, "an operation without spec.operationID");
  if (const json::Json* item = json::find(document, {"spec", "resourceIdentifier"})) {
    operation.item = read_reference(*item);
  }
  const json::Json* after = json::find(document, {"spec", "postOperationItems"});
  if (after != nullptr && after->is_array()) {
    for (const json::Json& ref : *after) operation.after_operation.push_back(read_reference(ref));
  }
  const std::string phase = json::string_or(document, {"status", "phase"}, "");
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    if (kPhases[i] == phase) operation.phase = static_cast<OperationPhase>(i);
  }
  operation.error = json::string_or(document, {"status", "error"}, "");
  operation.done = json::int_or(document, {"status", "nCompleted"}, 0);
  operation.total = json::int_or(document, {"status", "nTotal"}, 0);
  operation.units = json::string_or(document, {"status", "operationUnits"}, "");
  operation.description = json::string_or(document, {"status", "description"}, "");
  operation.created = read_time(document, "created");
  operation.started = read_time(document, "started");
  operation.updated = read_time(document, "updated");
  return operation;
}

}  // namespace

std::string_view to_string(OperationPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

json::Json to_json(const std::vector<ItemOperation>& operations, OperationOwner owner) {
  json::Json list = json::Json::array();
  for (const ItemOperation& operation : operations) list.push_back(to_json(operation, owner));
  return list;
}

Result<std::vector<ItemOperation>> read_operations(const json::Json& document, OperationOwner owner) {
  std::vector<ItemOperation> operations;
  if (document.is_null()) return operations;
  if (!document.is_array()) return fail(Code::kDataLoss, "the item operations are no list");
  for (const json::Json& one : document) {
    TRY_ASSIGN(operations.emplace_back(), "item operations", read_operation(one, owner));
  }
  return operations;
}

}  // namespace landfall::operation
