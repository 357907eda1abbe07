#include "control/snapshot_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/labels.h"
#include "base/strings.h"
#include "control/plugin_resources.h"
#include "control/snapshot_records.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using bucket::BackupArtifact;
using json::Json;

namespace {

// How many snapshots an error names.
constexpr std::size_t kMaxNamed = 20;

// Which the files of the backup name.
Status add_stored(bucket::BackupStore& store, const Json& backup, std::set<PlacedSnapshot>& snapshots,
                  const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(backup).name());
  TRY_ASSIGN(const std::optional<Json> records, "", store.read(name, BackupArtifact::kVolumeSnapshots, stop));
  if (records && records->is_array()) {
    for (const Json& record : *records) {
      const SnapshotFacts facts = facts_of(record);
      if (!facts.snapshot.empty()) snapshots.insert({.location = facts.location, .snapshot = facts.snapshot});
    }
  }
  TRY_ASSIGN(const std::optional<Json> told, "", store.read(name, BackupArtifact::kVolumePluginBackups, stop));
  if (told && told->is_array()) {
    for (const Json& one : *told) add_snapshot_of(one, backup, snapshots);
  }
  return {};
}

std::string label_of(const Json& resource, std::string_view key) {
  return std::string(k8s::ObjectView(resource).labels().get(std::string(key)).value_or(""));
}

// The VolumePluginBackups of this cluster: those of the backup, and which snapshots belong to others.
struct Live {
  std::vector<Json> own;
  std::set<std::string> of_others;
};

Result<Live> look_at_live(const Context& context, Snapshotters& snapshotters, const Json& backup,
                          const std::stop_token& stop) {
  TRY_ASSIGN(std::vector<Json> all, "", PluginResources(context, context.log).list(api::kVolumePluginBackup, {}, stop));
  Live live;
  for (Json& one : all) {
    if (is_of_backup(one, backup)) {
      if (is_left_unmarked(one, backup)) {
        TRY("", json::set_at(one, {"spec", "volumeSnapshotLocation"}, location_of(one, backup, snapshotters, stop)));
      }
      live.own.push_back(std::move(one));
    } else {
      live.of_others.insert(json::string_or(one, {"status", "snapshotID"}, ""));
    }
  }
  return live;
}

// What they name, but for what they say of others'.
void add_live(const Live& live, const Json& backup, std::set<PlacedSnapshot>& snapshots) {
  std::set<PlacedSnapshot> told;
  for (const Json& one : live.own) add_snapshot_of(one, backup, told);
  std::erase_if(told, [&](const PlacedSnapshot& one) { return live.of_others.contains(one.snapshot); });
  snapshots.merge(told);
}

std::string named(const std::vector<std::string>& snapshots) {
  if (snapshots.size() <= kMaxNamed) return join(snapshots, ", ");
  const std::vector<std::string> some(snapshots.begin(), snapshots.begin() + kMaxNamed);
  return fmt::format("{} and {} more", join(some, ", "), snapshots.size() - kMaxNamed);
}

}  // namespace

void add_snapshot_of(const Json& resource, const Json& backup, std::set<PlacedSnapshot>& snapshots) {
  PlacedSnapshot one{.location = json::string_or(resource, {"spec", "volumeSnapshotLocation"}, ""),
                     .snapshot = json::string_or(resource, {"status", "snapshotID"}, "")};
  if (one.location.empty() || one.snapshot.empty()) return;
  if (json::string_or(resource, {"spec", "backup"}, "") != k8s::ObjectView(backup).name()) return;
  const bool can_be_name = k8s::dns1123_subdomain_problems(one.snapshot).empty();
  if (can_be_name && one.snapshot != k8s::ObjectView(resource).name()) return;
  snapshots.insert(std::move(one));
}

bool is_left_unmarked(const Json& resource, const Json& backup) {
  const k8s::ObjectView view(backup);
  const auto made = k8s::ObjectView(resource).creation_timestamp();
  const auto begun = view.creation_timestamp();
  return json::string_or(resource, {"spec", "backup"}, "") == view.name() &&
         label_of(resource, api::label::kBackupUid).empty() && made && begun && *made >= *begun;
}

bool is_of_backup(const Json& resource, const Json& backup) {
  return label_of(resource, api::label::kBackupUid) == k8s::ObjectView(backup).uid() ||
         is_left_unmarked(resource, backup);
}

std::string location_of(const Json& resource, const Json& backup, Snapshotters& snapshotters,
                        const std::stop_token& stop) {
  const std::string plugin = location::full_provider(json::string_or(resource, {"spec", "plugin"}, ""));
  const auto names = json::string_list_at(backup, {"spec", "volumeSnapshotLocations"});
  if (!names) return {};
  for (const std::string& name : *names) {
    const auto opened = snapshotters.get(name, stop);
    if (opened && (*opened)->provider == plugin) return name;
  }
  return {};
}

Status delete_snapshots(Snapshotters& snapshotters, const std::set<PlacedSnapshot>& snapshots,
                        const std::stop_token& stop) {
  std::vector<std::string> left;
  std::optional<Error> first;
  for (const PlacedSnapshot& one : snapshots) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    const auto opened = snapshotters.get(one.location, stop);
    Status gone = opened ? (*opened)->snapshotter->delete_snapshot(one.snapshot, stop)
                         : Status(tl::unexpected<Error>(opened.error()));
    if (gone || (opened && gone.error().code() == Code::kNotFound)) continue;
    left.push_back(one.snapshot);
    if (!first) first = std::move(gone).error();
  }
  if (!first) return {};
  return fail(fmt::format("delete snapshot{} {}", left.size() == 1 ? "" : "s", named(left)), *std::move(first));
}

Status remove_resources(const Context& context, const api::Kind& kind, const std::vector<Json>& resources,
                        const std::stop_token& stop) {
  for (const Json& one : resources) {
    const k8s::ObjectView view(one);
    const auto removed = context.objects(kind).remove(std::string(view.name()), stop, {.uid = std::string(view.uid())});
    if (removed || removed.error().code() == Code::kNotFound || removed.error().code() == Code::kConflict) continue;
    return fail(fmt::format("delete {} {}", kind.name, view.name()), removed.error());
  }
  return {};
}

Status delete_known_snapshots(const Context& context, Snapshotters& snapshotters, const Json& backup,
                              std::set<PlacedSnapshot> known, const std::stop_token& stop) {
  const auto live = look_at_live(context, snapshotters, backup, stop);
  if (live) add_live(*live, backup, known);
  TRY("", delete_snapshots(snapshotters, known, stop));
  if (!live) return fail("", live.error());
  return remove_resources(context, api::kVolumePluginBackup, live->own, stop);
}

Status delete_snapshots_of(const Context& context, Snapshotters& snapshotters, const Json& backup,
                           bucket::BackupStore& store, const std::stop_token& stop) {
  std::set<PlacedSnapshot> snapshots;
  TRY("", add_stored(store, backup, snapshots, stop));
  return delete_known_snapshots(context, snapshotters, backup, std::move(snapshots), stop);
}

Status SnapshotCleanup::check(const Json& backup, bucket::BackupStore& store, const std::stop_token& stop) {
  Snapshotters snapshotters(context_, context_.log);
  std::set<PlacedSnapshot> snapshots;
  TRY("", add_stored(store, backup, snapshots, stop));
  TRY_ASSIGN(const Live live, "", look_at_live(context_, snapshotters, backup, stop));
  add_live(live, backup, snapshots);
  for (const PlacedSnapshot& one : snapshots) {
    TRY("snapshot " + one.snapshot, snapshotters.get(one.location, stop));
  }
  return {};
}

Status SnapshotCleanup::clean(const Json& backup, bucket::BackupStore& store, const std::stop_token& stop) {
  Snapshotters snapshotters(context_, context_.log);
  return delete_snapshots_of(context_, snapshotters, backup, store, stop);
}

}  // namespace landfall::control
