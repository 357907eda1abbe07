#include "control/late_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/plugin_transfers.h"
#include "json/access.h"
#include "volume_info/restored_rows.h"

namespace landfall::control {

using json::Json;
using operation::ItemOperation;
using State = TransferSight::State;

namespace {

bool is_known(const PluginTransfer& transfer, const std::vector<ItemOperation>& operations) {
  return std::ranges::any_of(operations, [&](const ItemOperation& one) {
    if (one.action != kVolumeAction) return false;
    const auto known = read_operation_id(one.operation_id);
    return known && known->location == transfer.location && known->snapshot == transfer.snapshot &&
           known->volume == transfer.volume;
  });
}

bool is_about(const Json& row, const LateVolume& late) {
  return json::string_or(row, {"nativeSnapshotInfo", "snapshotHandle"}, "") == late.transfer.snapshot;
}

}  // namespace

Result<std::vector<LateVolume>> look_for_late_volumes(const Context& context, const Json& restore,
                                                      const std::vector<PluginTransfer>& quiet,
                                                      const std::vector<ItemOperation>& operations,
                                                      const std::stop_token& stop) {
  std::vector<LateVolume> late;
  if (quiet.empty()) return late;
  PluginTransfers transfers(context, nullptr, restore, Logger());
  TRY_ASSIGN(const bool has_resources, "look for resources of plugins", transfers.has_resources(stop));
  if (!has_resources) return late;
  for (PluginTransfer transfer : quiet) {
    if (is_known(transfer, operations)) continue;
    const TransferSight sight = transfers.look_at_resource(transfer, stop);
    if (sight.state == State::kUnclear) return fail(Code::kUnavailable, sight.message);
    if (sight.state != State::kUnknown) late.push_back({.transfer = std::move(transfer), .sight = sight});
  }
  return late;
}

bool reopen_rows(const std::vector<LateVolume>& late, Json& rows) {
  if (!rows.is_array()) return false;
  bool has_changed = false;
  for (const LateVolume& one : late) {
    for (Json& row : rows) {
      // One that has failed has failed.
      if (!is_about(row, one) || json::string_or(row, {"result"}, "") != volume_info::result::kSucceeded) continue;
      row["result"] = std::string(volume_info::result::kInProgress);
      row["nativeSnapshotInfo"]["progressResource"] = one.transfer.resource;
      row.erase("completionTimestamp");
      has_changed = true;
    }
  }
  return has_changed;
}

std::vector<std::string> failures_without_rows(const std::vector<LateVolume>& late, const Json& rows) {
  std::vector<std::string> failures;
  for (const LateVolume& one : late) {
    const bool has_row =
        rows.is_array() && std::ranges::any_of(rows, [&](const Json& row) { return is_about(row, one); });
    if (one.sight.state != State::kFailed || has_row) continue;
    failures.push_back(fmt::format("persistentvolumes {}: snapshot {}: {}", one.transfer.volume, one.transfer.snapshot,
                                   failure_text(one.sight)));
  }
  return failures;
}

}  // namespace landfall::control
