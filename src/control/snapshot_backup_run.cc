#include "control/snapshot_backup_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/names.h"
#include "base/quote.h"
#include "control/snapshot_cleanup.h"
#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;
using State = TransferSight::State;

namespace {

std::vector<std::string> locations_of(const Json& backup) {
  auto names = json::string_list_at(backup, {"spec", "volumeSnapshotLocations"});
  return names ? *std::move(names) : std::vector<std::string>();
}

std::map<std::string, std::string> tags_of(const Json& backup, const std::string& volume) {
  const k8s::ObjectView view(backup);
  std::map<std::string, std::string> tags = view.labels().copy();
  tags["velero.io/backup"] = std::string(view.name());
  tags["velero.io/pv"] = volume;
  return tags;
}

std::string name_of(const Json& object) { return std::string(k8s::ObjectView(object).name()); }

}  // namespace

SnapshotBackupRun::SnapshotBackupRun(const Context& context, std::shared_ptr<Snapshotters> snapshotters,
                                     Duration look_every, Json backup, Logger log)
    : context_(context),
      snapshotters_(std::move(snapshotters)),
      backup_(std::move(backup)),
      locations_(locations_of(backup_)),
      log_(std::move(log)),
      transfers_(context, snapshotters_, backup_, log_),
      follower_(transfers_, context.clock, look_every) {}

Logger SnapshotBackupRun::log_of(const std::string& volume) const {
  return log_.with({{"resource", "persistentvolumes"}, {"namespace", ""}, {"name", volume}});
}

void SnapshotBackupRun::end_earlier(const std::stop_token& stop) {
  auto found = transfers_.resources(stop);
  auto unmarked = transfers_.unmarked(stop);
  if (!found || !unmarked) {
    log_.warning("Snapshots of an earlier try cannot be listed, and go on",
                 {LogField(found ? unmarked.error() : found.error())});
    return;
  }
  for (Json& one : *unmarked) found->push_back(std::move(one));
  for (const Json& one : *found) {
    PluginTransfer transfer{.location = json::string_or(one, {"spec", "volumeSnapshotLocation"}, ""),
                            .snapshot = json::string_or(one, {"status", "snapshotID"}, ""),
                            .volume = json::string_or(one, {"spec", "volume"}, ""),
                            .resource = name_of(one),
                            .volume_id = {},
                            .asked_at = {}};
    if (transfer.location.empty()) transfer.location = location_of(one, backup_, *snapshotters_, stop);
    if (is_over(sight_of(one))) {
      static_cast<void>(transfers_.look_at_resource(transfer, stop));  // marks it, to be deleted with the backup
      continue;
    }
    if (const Status told = transfers_.cancel(transfer, stop); !told) {
      log_.warning("A snapshot of an earlier try goes on", {{"name", transfer.resource}, LogField(told.error())});
    }
  }
}

Result<std::optional<SnapshotBackupRun::Owner>> SnapshotBackupRun::owner_of(const Json& volume, SnapshotFacts& facts,
                                                                            const std::stop_token& stop) const {
  Status first;
  for (const std::string& location : locations_) {
    auto opened = snapshotters_->get(location, stop);
    Result<std::string> id = opened ? (*opened)->snapshotter->volume_id(volume, stop)
                                    : Result<std::string>(tl::unexpected<Error>(opened.error()));
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (id && !id->empty()) {
      if (!first) log_of(name_of(volume)).error("Error getting volume snapshotter", {LogField(first.error())});
      return std::optional(Owner{.opened = *std::move(opened), .location = location, .volume_id = *std::move(id)});
    }
    if (id || !first) continue;
    facts.location = location;
    first = opened ? fail("volume snapshot location " + location, std::move(id).error()) : fail("", id.error());
  }
  // It may be the volume of the one that could not be asked.
  if (!first) return tl::unexpected<Error>(first.error());
  return std::optional<Owner>();
}

Result<std::string> SnapshotBackupRun::create(const Owner& owner, const Json& volume, SnapshotFacts& facts,
                                              const std::stop_token& stop) const {
  extension::VolumeSnapshotter& snapshotter = *owner.opened->snapshotter;
  TRY_ASSIGN(facts.traits, "ask about volume " + owner.volume_id,
             snapshotter.volume_traits(owner.volume_id, facts.zone, stop));
  TRY_ASSIGN(std::string snapshot, "take a snapshot of volume " + owner.volume_id,
             snapshotter.create_snapshot(owner.volume_id, facts.zone, tags_of(backup_, name_of(volume)), stop));
  if (snapshot.empty()) return fail(Code::kInternal, "the plugin has taken a snapshot without an ID");
  return snapshot;
}

Result<std::optional<std::string>> SnapshotBackupRun::take(const Json& volume, const std::stop_token& stop) {
  const std::string name = name_of(volume);
  SnapshotFacts facts{.location = {}, .volume_id = {}, .zone = zone_of(volume)};
  const WallTime started = context_.clock.wall_now();
  const auto asked = owner_of(volume, facts, stop);
  if (!asked) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    // A restore is to know that there was to be a snapshot.
    taken_.with([&](auto& taken) {
      taken.push_back({.record = snapshot_record(backup_, volume, facts), .volume = volume, .started = started});
    });
    return fail("", asked.error());
  }
  const std::optional<Owner>& owner = *asked;
  // Velero's words.
  if (!owner) return std::optional<std::string>("no applicable volumesnapshotter found");
  facts.location = owner->location;
  facts.volume_id = owner->volume_id;
  auto snapshot = create(*owner, volume, facts, stop);
  if (snapshot) facts.snapshot = *snapshot;
  taken_.with([&](auto& taken) {
    taken.push_back({.record = snapshot_record(backup_, volume, facts), .volume = volume, .started = started});
  });
  if (!snapshot) {
    return fail(fmt::format("volume snapshot location {}", owner->location), std::move(snapshot).error());
  }
  log_of(name).info("Snapshot is taken", {{"snapshot", facts.snapshot}, {"location", facts.location}});
  PluginTransfer transfer{.location = facts.location,
                          .snapshot = facts.snapshot,
                          .volume = name,
                          .resource = {},
                          .volume_id = {},
                          .asked_at = {}};
  // So that it is seen with the backup from the start, where it is there already.
  static_cast<void>(transfers_.look_at_resource(transfer, stop));
  follower_.add(std::move(transfer));
  return std::optional<std::string>();
}

Json SnapshotBackupRun::Ended::records() const {
  if (taken.empty()) return nullptr;  // as Velero writes an empty list
  Json all = Json::array();
  for (const TakenSnapshot& one : taken) all.push_back(one.record);
  return all;
}

std::int64_t SnapshotBackupRun::Ended::completed() const {
  return std::ranges::count_if(taken, [](const TakenSnapshot& one) { return is_completed(one.record); });
}

SnapshotBackupRun::Ended SnapshotBackupRun::finish(progress::ItemReporter& progress, const std::stop_token& stop) {
  Ended ended{.taken = taken_.copy(), .resources = {}, .operations = {}};
  if (ended.taken.empty()) return ended;
  progress.doing(fmt::format("asking about {} snapshots", ended.taken.size()));
  for (const TransferFollower::Followed& one : follower_.finish(stop)) {
    const Logger log = log_of(one.transfer.volume);
    const auto record = std::ranges::find_if(ended.taken, [&](const TakenSnapshot& taken) {
      const SnapshotFacts facts = facts_of(taken.record);
      return facts.snapshot == one.transfer.snapshot && facts.location == one.transfer.location;
    });
    switch (one.sight.state) {
      case State::kFailed:
        if (record != ended.taken.end()) set_failed(record->record);
        log.error("Snapshot has failed",
                  {{"error", fmt::format("snapshot {}: {}", one.transfer.snapshot, failure_text(one.sight))}});
        break;
      case State::kUnderWay:
      case State::kUnclear:
        ended.operations.push_back(operation_of(one, backup_, kSnapshotAction, context_.clock.wall_now()));
        break;
      case State::kUnknown:
        if (one.is_missing) {
          log.warning("The plugin does not tell how far the snapshot is, as it does of others: it counts as done",
                      {{"snapshot", one.transfer.snapshot}});
        }
        break;
      case State::kCompleted:
        break;
    }
  }
  auto resources = transfers_.resources(stop);
  if (resources) {
    ended.resources = *std::move(resources);
  } else if (!stop.stop_requested()) {
    log_.warning("What plugins tell about snapshots is not stored yet", {LogField(resources.error())});
  }
  return ended;
}

void SnapshotBackupRun::discard(const std::stop_token& stop) {
  follower_.cancel(log_, stop);
  std::set<PlacedSnapshot> snapshots;
  for (const TakenSnapshot& one : taken_.copy()) {
    const SnapshotFacts facts = facts_of(one.record);
    if (!facts.snapshot.empty()) snapshots.insert({.location = facts.location, .snapshot = facts.snapshot});
  }
  const Status gone = delete_known_snapshots(context_, *snapshotters_, backup_, std::move(snapshots), stop);
  if (!gone) log_.warning("Snapshots are left behind", {LogField(gone.error())});
}

}  // namespace landfall::control
