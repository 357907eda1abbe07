#include "control/snapshot_restore_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/rfc3339.h"
#include "control/restored_natives.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;
using State = TransferSight::State;

namespace {

// How long a volume waits for its line to be written.
constexpr Duration kWriteWait = std::chrono::seconds(10);

// ["volume-begin" or "volume", the PersistentVolume, snapshot, location, when it was asked for, volume ID]
constexpr std::string_view kBegin = "volume-begin";
constexpr std::string_view kMade = "volume";

Json line_of(std::string_view kind, const PluginTransfer& transfer) {
  return Json::array({std::string(kind), transfer.volume, transfer.snapshot, transfer.location,
                      format_rfc3339_nano(transfer.asked_at.value_or(WallTime())), transfer.volume_id});
}

}  // namespace

SnapshotRestoreRun::SnapshotRestoreRun(const Context& context, std::shared_ptr<Snapshotters> snapshotters,
                                       Duration look_every, Json restore, const Json* records,
                                       operation::Journal& journal, const std::vector<std::string>& found_lines,
                                       Logger log)
    : context_(context),
      snapshotters_(std::move(snapshotters)),
      restore_(std::move(restore)),
      journal_(journal),
      log_(std::move(log)),
      earlier_(read_lines(found_lines)),
      transfers_(context, snapshotters_, restore_, log_),
      follower_(transfers_, context.clock, look_every) {
  if (records != nullptr && records->is_array()) {
    for (const Json& record : *records) records_[volume_of_record(record)] = record;
  }
  for (const auto& [volume, earlier] : earlier_) {
    if (earlier.is_made) follower_.add(earlier.transfer);
  }
}

SnapshotRestoreRun::AllEarlier SnapshotRestoreRun::read_lines(const std::vector<std::string>& lines) {
  AllEarlier all;
  for (const std::string& text : lines) {
    // Most are items: those need not be read.
    if (!text.starts_with("[\"volume")) continue;
    const auto line = json::parse(text);
    if (!line) continue;
    const auto at = [&](const char* index) { return json::string_or(*line, {index}, ""); };
    const bool is_made = at("0") == kMade;
    const auto asked_at = parse_rfc3339(at("4"));
    if ((!is_made && at("0") != kBegin) || !asked_at) continue;
    all[at("1")] = {.transfer = {.location = at("3"),
                                 .snapshot = at("2"),
                                 .volume = at("1"),
                                 .resource = {},
                                 .volume_id = at("5"),
                                 .asked_at = *asked_at},
                    .is_made = is_made};
  }
  return all;
}

std::vector<PluginTransfer> SnapshotRestoreRun::made_in(const std::vector<std::string>& journal_lines) {
  std::vector<PluginTransfer> made;
  for (const auto& [volume, earlier] : read_lines(journal_lines)) {
    if (earlier.is_made) made.push_back(earlier.transfer);
  }
  return made;
}

void SnapshotRestoreRun::write_down(const Json& line, const std::stop_token& stop) {
  journal_.add(json::dump(line));
  const Status written = journal_.flush(context_.clock.after(kWriteWait), stop);
  if (!written) log_.warning("The journal of the restore is behind", {LogField(written.error())});
}

Result<Json> SnapshotRestoreRun::record_of(const std::string& volume) const {
  const auto found = records_.find(volume);
  if (found == records_.end()) return fail(Code::kNotFound, "the backup does not say which snapshot it has of it");
  if (facts_of(found->second).snapshot.empty()) {
    return fail(Code::kNotFound, "its snapshot could not be taken when it was backed up");
  }
  if (!is_completed(found->second)) {
    return fail(Code::kDataLoss, fmt::format("its snapshot {} had failed when it was backed up: see the backup",
                                             facts_of(found->second).snapshot));
  }
  return found->second;
}

std::optional<std::string> SnapshotRestoreRun::made_before(PluginTransfer& transfer, const std::stop_token& stop) {
  PluginTransfer before = transfer;
  if (transfers_.look_at_resource(before, stop).state == State::kUnknown || before.resource.empty()) return {};
  const auto resource = context_.objects(api::kVolumePluginRestore).get(before.resource, stop);
  if (!resource) return {};
  const std::string id = json::string_or(*resource, {"status", "volumeID"}, "");
  // Some put the name of the PersistentVolume there.
  if (id.empty() || id == transfer.volume) return {};
  transfer = before;
  return id;
}

Result<std::string> SnapshotRestoreRun::make(const SnapshotFacts& facts, PluginTransfer& transfer,
                                             const std::stop_token& stop) {
  if (const auto earlier = earlier_.find(transfer.volume); earlier != earlier_.end()) {
    if (earlier->second.is_made) return earlier->second.transfer.volume_id;
    transfer.asked_at = earlier->second.transfer.asked_at;
    if (auto id = made_before(transfer, stop)) return *std::move(id);
    log_.warning("The server was stopped while a volume was made of a snapshot: it is made again, and one may be left",
                 {{"name", transfer.volume}, {"snapshot", transfer.snapshot}});
  }
  TRY_ASSIGN(const Snapshotters::Opened opened, "", snapshotters_->get(facts.location, stop));
  transfer.asked_at = context_.clock.wall_now();
  write_down(line_of(kBegin, transfer), stop);
  TRY_ASSIGN(std::string id,
             fmt::format("volume snapshot location {}: make a volume of snapshot {}", facts.location, facts.snapshot),
             opened->snapshotter->create_volume(facts.snapshot, facts.traits, facts.zone, stop));
  if (id.empty()) return fail(Code::kInternal, "the plugin has made a volume without an ID");
  return id;
}

Status SnapshotRestoreRun::restore(Json& volume, const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(volume).name());
  TRY_ASSIGN(const Json record, "", record_of(name));
  const SnapshotFacts facts = facts_of(record);
  PluginTransfer transfer{.location = facts.location,
                          .snapshot = facts.snapshot,
                          .volume = name,
                          .resource = {},
                          .volume_id = {},
                          .asked_at = {}};
  const auto earlier = earlier_.find(name);
  const bool is_made = earlier != earlier_.end() && earlier->second.is_made;
  TRY_ASSIGN(transfer.volume_id, "", make(facts, transfer, stop));
  if (!is_made) {
    write_down(line_of(kMade, transfer), stop);
    log_.info("Volume is made of a snapshot",
              {{"name", name}, {"snapshot", facts.snapshot}, {"volume", transfer.volume_id}});
    follower_.add(transfer);
  }
  TRY_ASSIGN(const Snapshotters::Opened opened, "", snapshotters_->get(facts.location, stop));
  TRY("volume snapshot location " + facts.location,
      opened->snapshotter->set_volume_id(volume, transfer.volume_id, stop));
  volume_info::RestoredNative made = made_volume(name, facts);
  made.claim = {json::string_or(volume, {"spec", "claimRef", "namespace"}, ""),
                json::string_or(volume, {"spec", "claimRef", "name"}, "")};
  if (transfer.asked_at) made.started = format_rfc3339(*transfer.asked_at);
  made.completed = format_rfc3339(context_.clock.wall_now());
  made_.with([&](auto& all) { all.push_back(std::move(made)); });
  return {};
}

volume_info::RestoredNative SnapshotRestoreRun::made_volume(const std::string& name, const SnapshotFacts& facts) {
  volume_info::RestoredNative made;
  made.original = name;
  made.snapshot = native_info(facts, "");
  // Until somebody says that bytes are still moving.
  made.result = volume_info::result::kSucceeded;
  return made;
}

// Of volumes that an earlier process was done with only the names are known here.
std::vector<volume_info::RestoredNative> SnapshotRestoreRun::made_volumes() const {
  std::vector<volume_info::RestoredNative> all = made_.copy();
  for (const auto& [volume, earlier] : earlier_) {
    const auto record = records_.find(volume);
    const bool is_known = std::ranges::any_of(all, [&](const auto& one) { return one.original == volume; });
    if (!earlier.is_made || is_known || record == records_.end()) continue;
    all.push_back(made_volume(volume, facts_of(record->second)));
  }
  return all;
}

std::vector<volume_info::RestoredNative> SnapshotRestoreRun::made_before_cut() const {
  std::vector<volume_info::RestoredNative> all = made_volumes();
  for (volume_info::RestoredNative& one : all) {
    one.result.clear();
    one.completed.clear();
    one.message = "the restore was canceled, and nobody knows whether all of its data had come";
  }
  return all;
}

SnapshotRestoreRun::Ended SnapshotRestoreRun::finish(const std::stop_token& stop) {
  Ended ended{.operations = {}, .errors = {}, .volumes = made_volumes(), .quiet = {}};
  for (const TransferFollower::Followed& one : follower_.finish(stop)) {
    const auto made = std::ranges::find(ended.volumes, one.transfer.volume, &volume_info::RestoredNative::original);
    if (made != ended.volumes.end()) add_sight(*made, one.transfer.resource, one.sight);
    switch (one.sight.state) {
      case State::kFailed:
        ended.errors.push_back(fmt::format("persistentvolumes {}: volume of snapshot {}: {}", one.transfer.volume,
                                           one.transfer.snapshot, failure_text(one.sight)));
        log_.error("A volume of a snapshot has failed", {{"error", ended.errors.back()}});
        break;
      case State::kUnderWay:
      case State::kUnclear:
        ended.operations.push_back(operation_of(one, restore_, kVolumeAction, context_.clock.wall_now()));
        break;
      case State::kUnknown:
        ended.quiet.push_back(one.transfer);
        break;
      case State::kCompleted:
        break;
    }
  }
  return ended;
}

}  // namespace landfall::control
