#include "control/backup_sync_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "base/strings.h"
#include "bucket/backup_store.h"
#include "control/change.h"
#include "control/deletion_requests.h"
#include "control/due.h"
#include "control/synced_objects.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/raw_list.h"

namespace landfall::control {
namespace {

using bucket::BackupArtifact;
using json::Json;

// So many failures one after the other that may pass by themselves mean that the bucket or the API server is away.
constexpr int kMaxFaults = 5;

using NameSet = std::set<std::string, std::less<>>;

// The Backups of this cluster.
struct Known {
  NameSet names;
  std::vector<Json> not_in_bucket;  // of all locations
  std::vector<Json> incomplete;     // of all locations
};

// One pass over the bucket of one location.
class Pass {
 public:
  Pass(const Context& context, bucket::BackupStore& store, const std::string& location, const std::stop_token& stop)
      : context_(context),
        store_(store),
        target_{.name_space = context.name_space, .location = location},
        log_(context.log.with({{"location", location}})),
        stop_(stop) {}

  Status run();

 private:
  Result<Known> known_backups(const NameSet& in_bucket) const;
  Result<NameSet> to_be_deleted() const;

  Status add(const std::string& name);
  Result<Json> owners_here(const Json& document) const;
  Status complete(const Json& backup);
  Status add_volume_backups(const Json& backup, const api::Kind& kind, BackupArtifact artifact);
  Status add_volume_backup(const Json& document, const Json& backup, const api::Kind& kind);
  Status check_taken_name(const Json& object, const api::Kind& kind) const;
  Status remove_vanished(const Json& backup);
  bool is_ours(const Json& backup) const;
  // Logs a failure; an error when it is no use to go on.
  Status go_on(std::string_view what, std::string_view backup, Status done);

  const Context& context_;
  bucket::BackupStore& store_;
  const SyncTarget target_;
  const Logger log_;
  const std::stop_token& stop_;
  int faults_ = 0;
};

Status Pass::run() {
  // Before the Backups: what appears in between is seen as a folder without a Backup, or looked for again.
  TRY_ASSIGN(std::vector<std::string> folders, "list the backups of the bucket", store_.backups(stop_));
  const NameSet in_bucket(std::make_move_iterator(folders.begin()), std::make_move_iterator(folders.end()));
  TRY_ASSIGN(const Known known, "list backups", known_backups(in_bucket));
  TRY_ASSIGN(const NameSet deleting, "", to_be_deleted());

  for (const std::string& name : in_bucket) {
    if (known.names.contains(name) || deleting.contains(name)) continue;
    TRY("", go_on("a backup of the bucket could not be taken over", name, add(name)));
  }
  for (const Json& backup : known.incomplete) {
    if (!is_ours(backup)) continue;
    TRY("", go_on("the volume backups of a backup could not be taken over", k8s::ObjectView(backup).name(),
                  complete(backup)));
  }
  for (const Json& backup : known.not_in_bucket) {
    const k8s::ObjectView view(backup);
    if (!is_ours(backup) || deleting.contains(view.name())) continue;
    TRY("", go_on("a backup that has vanished could not be removed", view.name(), remove_vanished(backup)));
  }
  return {};
}

Status Pass::go_on(std::string_view what, std::string_view backup, Status done) {
  if (stop_.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (done) {
    faults_ = 0;
    return {};
  }
  faults_ = is_retryable(done.error().code()) ? faults_ + 1 : 0;
  if (faults_ >= kMaxFaults) return done;
  log_.error(what, {{"backup", backup}, LogField(done.error())});
  return {};
}

// In pages, of which only what matters becomes documents: there may be ten thousands.
Result<Known> Pass::known_backups(const NameSet& in_bucket) const {
  kube::RawList list(context_.objects(api::kBackup), {});
  Known known;
  while (true) {
    TRY_ASSIGN(const kube::RawList::Next next, "", list.next(stop_));
    if (next.started_over) known = {};
    if (!next.page) return known;
    for (const kube::RawItem& item : next.page->items()) {
      const bool is_in_bucket = in_bucket.contains(item.name);
      const bool is_incomplete = contains(item.json, kSyncIncomplete);
      known.names.emplace(item.name);
      if (is_in_bucket && !is_incomplete) continue;
      TRY_ASSIGN(Json backup, "", json::parse(item.json));
      if (!is_in_bucket) {
        known.not_in_bucket.push_back(std::move(backup));
      } else if (k8s::ObjectView(backup).annotations().contains(std::string(kSyncIncomplete))) {
        known.incomplete.push_back(std::move(backup));
      }
    }
  }
}

Result<NameSet> Pass::to_be_deleted() const {
  TRY_ASSIGN(const kube::ObjectList requests, "list deletion requests",
             context_.objects(api::kDeleteBackupRequest).list({}, stop_));
  NameSet names;
  for (const Json& request : requests.items) {
    if (is_open_request(request)) names.insert(json::string_or(request, {"spec", "backupName"}, ""));
  }
  return names;
}

// Belongs to this location and is not being worked on.
bool Pass::is_ours(const Json& backup) const {
  const k8s::ObjectView view(backup);
  const auto phase = api::phase_of<api::BackupPhase>(backup);
  return view.labels().get(std::string(api::label::kStorageLocation)) == k8s::label_safe(target_.location) &&
         json::string_or(backup, {"spec", "storageLocation"}, "") == target_.location && phase && is_final(*phase) &&
         !view.is_being_deleted() && !context_.running.is_running(api::kBackup, std::string(view.name()));
}

Status Pass::add(const std::string& name) {
  const auto document = store_.read_backup(name, stop_);
  if (!document && document.error().code() == Code::kNotFound) {
    log_.debug("a folder of the bucket holds no finished backup", {{"backup", name}});
    return {};
  }
  if (!document) return fail("", document.error());
  TRY_ASSIGN(std::optional<Json> backup, "", backup_from_bucket(*document, target_, context_.clock.wall_now()));
  if (!backup) return {};
  TRY_ASSIGN((*backup)["metadata"]["ownerReferences"], "", owners_here(*document));
  TRY("", k8s::set_annotation(*backup, kSyncIncomplete, "true"));
  const auto created = context_.objects(api::kBackup).create(*backup, stop_);
  if (!created && created.error().code() == Code::kAlreadyExists) return {};
  if (!created) return fail("", created.error());
  log_.info("backup of the bucket taken over", {{"backup", name}});
  return complete(*created);
}

// Schedules that are the same here. (Velero keeps owners of other kinds without a look; in another cluster the Backup
// is then collected at once, and made again, and collected …)
Result<Json> Pass::owners_here(const Json& document) const {
  Json owners = Json::array();
  const k8s::ObjectView view(document);
  for (const k8s::OwnerReference& owner : view.owner_references()) {
    if (owner.kind != api::kSchedule.name || owner.api_version != api::kSchedule.api_version()) continue;
    const auto schedule = context_.objects(api::kSchedule).get(std::string(owner.name), stop_);
    if (!schedule && schedule.error().code() == Code::kNotFound) continue;
    if (!schedule) return fail("look for its schedule", schedule.error());
    if (k8s::ObjectView(*schedule).uid() != owner.uid) continue;
    owners.push_back({{"apiVersion", std::string(owner.api_version)},
                      {"kind", std::string(owner.kind)},
                      {"name", std::string(owner.name)},
                      {"uid", std::string(owner.uid)},
                      {"controller", owner.controller}});
  }
  return owners;
}

Status Pass::complete(const Json& backup) {
  Status pods = add_volume_backups(backup, api::kPodVolumeBackup, BackupArtifact::kPodVolumeBackups);
  TRY("", add_volume_backups(backup, api::kVolumePluginBackup, BackupArtifact::kVolumePluginBackups));
  TRY("", std::move(pods));
  Json changed = backup;
  k8s::remove_annotation(changed, kSyncIncomplete);
  return write_change(context_.objects(api::kBackup), backup, changed, stop_);
}

// All of them are tried; the first error is returned.
Status Pass::add_volume_backups(const Json& backup, const api::Kind& kind, BackupArtifact artifact) {
  TRY_ASSIGN(const std::optional<Json> documents, "", store_.read(k8s::ObjectView(backup).name(), artifact, stop_));
  if (!documents || documents->is_null()) return {};
  if (!documents->is_array()) {
    return fail(Code::kDataLoss,
                fmt::format("the file of {}: expected a list, got {}", kind.plural, json::type_name(*documents)));
  }
  Status first;
  for (const Json& document : *documents) {
    Status added = add_volume_backup(document, backup, kind);
    if (!added && first) first = std::move(added);
    if (stop_.stop_requested()) return fail(Code::kCancelled, "stopped");
  }
  return first;
}

Status Pass::add_volume_backup(const Json& document, const Json& backup, const api::Kind& kind) {
  TRY_ASSIGN(const std::optional<Json> object, "", volume_backup_from_bucket(document, kind, backup, target_));
  if (!object) {
    log_.warning("a volume backup of the bucket was never finished and is left out",
                 {{"kind", kind.name}, {"name", k8s::ObjectView(document).name()}});
    return {};
  }
  const auto created = context_.objects(kind).create(*object, stop_);
  if (created) return {};
  if (created.error().code() == Code::kAlreadyExists) return check_taken_name(*object, kind);
  // Installations of Velero have no such kind.
  if (created.error().code() == Code::kNotFound && api::is_landfalls_own(kind)) return {};
  return fail(fmt::format("create {} {}", kind.name, k8s::ObjectView(*object).name()), created.error());
}

// That of an earlier Backup of the same name is still there for a moment: it is tried again.
Status Pass::check_taken_name(const Json& object, const api::Kind& kind) const {
  const std::string name(k8s::ObjectView(object).name());
  TRY_ASSIGN(const Json found, "", context_.objects(kind).get(name, stop_));
  const std::string uid(api::label::kBackupUid);
  if (k8s::ObjectView(found).labels().get(uid) == k8s::ObjectView(object).labels().get(uid)) return {};
  return fail(Code::kAlreadyExists,
              fmt::format("{} {} is there already and belongs to another backup", kind.name, name));
}

Status Pass::remove_vanished(const Json& backup) {
  const auto phase = api::phase_of<api::BackupPhase>(backup);
  if (phase != api::BackupPhase::kCompleted && phase != api::BackupPhase::kPartiallyFailed) return {};
  const k8s::ObjectView view(backup);
  const std::string name(view.name());
  // It may have been finished after the bucket was listed.
  TRY_ASSIGN(const bool is_there, "", store_.has_backup(name, stop_));
  if (is_there) return {};
  const auto removed =
      context_.objects(api::kBackup)
          .remove(name, stop_,
                  {.uid = std::string(view.uid()), .resource_version = std::string(view.resource_version())});
  if (!removed && removed.error().code() != Code::kNotFound && removed.error().code() != Code::kConflict) {
    return fail("", removed.error());
  }
  log_.info("backup has vanished from the bucket and is removed", {{"backup", name}});
  return {};
}

}  // namespace

Result<kube::Reconciled> BackupSyncReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  const auto found = context_.locations.find(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled{};
  if (!found) return fail("", found.error());
  const std::optional<Duration> every = found->view.sync_every(settings_.period);
  if (!every || k8s::ObjectView(found->object).is_being_deleted()) return kube::Reconciled{};
  if (!found->view.is_available) return kube::Reconciled{.again_after = every};

  const Duration left = until_due(found->view.last_synced, *every, context_.clock.wall_now());
  if (left > Duration::zero()) return kube::Reconciled{.again_after = left};
  TRY("sync backup storage location " + name.name, sync(*found, stop));

  Json changed = found->object;
  TRY("", api::set_status_time(changed, api::field::kLastSyncedTime, context_.clock.wall_now()));
  Status written = write_change(context_.objects(api::kBackupStorageLocation), found->object, changed, stop);
  if (!written && written.error().code() != Code::kNotFound) return fail("", std::move(written).error());
  return kube::Reconciled{.again_after = every};
}

Status BackupSyncReconciler::sync(const FoundLocation& location, const std::stop_token& stop) const {
  TRY_ASSIGN(const auto opened, "", context_.locations.open(location, stop));
  return Pass(context_, opened->backups(), location.name, stop).run();
}

}  // namespace landfall::control
