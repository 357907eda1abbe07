#include "control/snapshot_ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/status.h"
#include "control/plugin_transfers.h"
#include "control/snapshot_progress.h"
#include "control/snapshot_records.h"
#include "control/transfer_follower.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "operation/results.h"

namespace landfall::control {

using bucket::BackupArtifact;
using json::Json;
using operation::ItemOperation;
using operation::OperationPhase;
using State = TransferSight::State;

namespace {

bool is_transfer(const ItemOperation& operation) {
  return operation.action == kSnapshotAction || operation.action == kVolumeAction;
}

// By location and snapshot.
using Operations = std::map<std::pair<std::string, std::string>, const ItemOperation*>;

Operations by_snapshot(const std::vector<ItemOperation>& operations) {
  Operations found;
  for (const ItemOperation& one : operations) {
    if (one.action != kSnapshotAction) continue;
    const auto transfer = read_operation_id(one.operation_id);
    if (transfer) found[{transfer->location, transfer->snapshot}] = &one;
  }
  return found;
}

class Ending {
 public:
  Ending(const Context& context, const Json& backup, bucket::BackupStore& store, const std::stop_token& stop)
      : context_(context),
        backup_(backup),
        store_(store),
        stop_(stop),
        transfers_(context, nullptr, backup, Logger()) {}

  Result<SnapshotEnding> run(const std::vector<ItemOperation>& operations) {
    const std::string name(k8s::ObjectView(backup_).name());
    TRY_ASSIGN(std::optional<Json> records, "", store_.read(name, BackupArtifact::kVolumeSnapshots, stop_));
    if (!records || !records->is_array() || records->empty()) return std::move(ending_);
    const Operations known = by_snapshot(operations);
    for (Json& record : *records) TRY("", settle(record, known));
    ending_.completed = std::ranges::count_if(*records, [](const Json& one) { return is_completed(one); });
    ending_.failed = static_cast<std::int64_t>(records->size()) - *ending_.completed;
    if (!ending_.late.empty()) return std::move(ending_);
    TRY_ASSIGN(const std::vector<Json> resources, "", transfers_.resources(stop_));
    if (!resources.empty()) ending_.resources = Json(resources);
    TRY("", write_infos(name, resources));
    if (has_failures_) ending_.records = *std::move(records);
    return std::move(ending_);
  }

 private:
  Status settle(Json& record, const Operations& known) {
    const SnapshotFacts facts = facts_of(record);
    if (facts.snapshot.empty() || !is_completed(record)) return {};
    const auto operation = known.find({facts.location, facts.snapshot});
    if (operation != known.end()) {
      if (operation->second->phase == OperationPhase::kFailed) fail_record(record);
      changed_.push_back(record);
      return {};
    }
    PluginTransfer transfer{.location = facts.location,
                            .snapshot = facts.snapshot,
                            .volume = volume_of_record(record),
                            .resource = {},
                            .volume_id = {},
                            .asked_at = {}};
    const TransferSight sight = transfers_.look_at_resource(transfer, stop_);
    if (sight.state == State::kUnclear) return fail(Code::kUnavailable, sight.message);
    if (sight.state == State::kUnderWay) {
      ending_.late.push_back(
          operation_of({.transfer = transfer, .sight = sight}, backup_, kSnapshotAction, context_.clock.wall_now()));
    }
    if (sight.state != State::kFailed) return {};
    fail_record(record);
    changed_.push_back(record);
    ending_.late_failures.push_back(
        fmt::format("persistentvolumes {}: snapshot {}: {}", transfer.volume, transfer.snapshot, failure_text(sight)));
    return {};
  }

  void fail_record(Json& record) {
    set_failed(record);
    has_failures_ = true;
  }

  Status write_infos(const std::string& name, const std::vector<Json>& resources) {
    if (changed_.empty() && resources.empty()) return {};
    TRY_ASSIGN(std::optional<Json> infos, "", store_.read(name, BackupArtifact::kVolumeInfos, stop_));
    if (!infos) return {};
    const Json before = *infos;
    for (const Json& record : changed_) set_row_result(*infos, record, context_.clock.wall_now());
    set_row_progress(*infos, resources);
    if (*infos != before) ending_.volume_infos = *std::move(infos);
    return {};
  }

  const Context& context_;
  const Json& backup_;
  bucket::BackupStore& store_;
  const std::stop_token& stop_;
  PluginTransfers transfers_;
  SnapshotEnding ending_;
  std::vector<Json> changed_;
  bool has_failures_ = false;
};

}  // namespace

Result<SnapshotEnding> end_snapshots(const Context& context, const Json& backup, bucket::BackupStore& store,
                                     const std::vector<ItemOperation>& operations, const std::stop_token& stop) {
  // So that a backup without snapshots costs nothing.
  if (api::status_count(backup, api::field::kVolumeSnapshotsAttempted) == 0) return SnapshotEnding{};
  return Ending(context, backup, store, stop).run(operations);
}

std::vector<std::string> new_transfer_failures(const std::vector<ItemOperation>& before,
                                               const std::vector<ItemOperation>& now) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool was_failed = i < before.size() && before[i].phase == OperationPhase::kFailed;
    if (!is_transfer(now[i]) || now[i].phase != OperationPhase::kFailed || was_failed) continue;
    const auto transfer = read_operation_id(now[i].operation_id);
    texts.push_back(fmt::format("persistentvolumes {}: snapshot {}: {}", now[i].item.name,
                                transfer ? transfer->snapshot : now[i].operation_id, now[i].error));
  }
  return texts;
}

Result<Json> with_cluster_errors(const Json& results, const std::vector<std::string>& errors) {
  operation::Results all;
  if (results.is_object()) {
    TRY_ASSIGN(all, "results", operation::Results::from_json(results));
  }
  const Json* known = json::find(results, {"errors", "cluster"});
  for (const std::string& text : errors) {
    const bool is_there =
        known != nullptr && known->is_array() && std::ranges::find(*known, Json(text)) != known->end();
    if (!is_there) all.errors.add_to_cluster(text);
  }
  return all.to_json();
}

}  // namespace landfall::control
