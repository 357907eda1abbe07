#include "control/synced_objects.h"

#include <fmt/format.h>

#include <utility>

#include "api/labels.h"
#include "api/status.h"
#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using api::BackupPhase;
using json::Json;

// What is taken of an object as such. Annotations of kubectl are about another object.
Result<Json> taken_from(const Json& document, const api::Kind& kind, const SyncTarget& target) {
  const k8s::ObjectView view(document);
  const std::string name(view.name());
  if (const auto problems = k8s::dns1123_subdomain_problems(name); !problems.empty()) {
    return fail(Code::kInvalid, fmt::format("{} {}: {}", kind.name, quote(name), k8s::joined(problems)));
  }
  Json object = {{"apiVersion", kind.api_version()},
                 {"kind", std::string(kind.name)},
                 {"metadata", {{"name", name}, {"namespace", target.name_space}}}};
  if (!view.labels().empty()) object["metadata"]["labels"] = view.labels().copy();
  if (!view.annotations().empty()) object["metadata"]["annotations"] = view.annotations().copy();
  k8s::remove_annotation(object, "kubectl.kubernetes.io/last-applied-configuration");
  k8s::remove_annotation(object, kSyncIncomplete);
  for (const char* const part : {"spec", "status"}) {
    const Json* found = json::find(document, {part});
    if (found == nullptr) continue;
    if (!found->is_object()) {
      return fail(Code::kInvalid, fmt::format("{} {}: {}: expected an object, got {}", kind.name, quote(name), part,
                                              json::type_name(*found)));
    }
    object[part] = *found;
  }
  return object;
}

bool has_expired(const Json& backup, WallTime now) {
  const auto expiration = api::status_time(backup, api::field::kExpiration);
  return expiration && *expiration < now;
}

// A node agent begins with a PodVolumeBackup that is not over. Nobody acts on a VolumePluginBackup: it only tells of a
// snapshot, and one that was given up while it went on is to be seen and deleted with the backup, too.
bool can_be_taken(const Json& volume_backup, const api::Kind& kind) {
  if (kind == api::kVolumePluginBackup) return true;
  const auto phase = api::phase_of<api::TransferPhase>(volume_backup);
  return phase && is_final(*phase);
}

}  // namespace

Result<std::optional<Json>> backup_from_bucket(const Json& document, const SyncTarget& target, WallTime now) {
  TRY_ASSIGN(Json backup, "", taken_from(document, api::kBackup, target));
  const auto phase = api::phase_of<BackupPhase>(backup);
  switch (phase.value_or(BackupPhase::kNew)) {
    case BackupPhase::kCompleted:
    case BackupPhase::kPartiallyFailed:
    case BackupPhase::kFailed:
      break;
    case BackupPhase::kWaitingForPluginOperations:
    case BackupPhase::kWaitingForPluginOperationsPartiallyFailed:
    case BackupPhase::kFinalizing:
    case BackupPhase::kFinalizingPartiallyFailed:
      if (!has_expired(backup, now)) return std::nullopt;
      TRY("", api::set_phase(backup, BackupPhase::kPartiallyFailed));
      break;
    default:
      return fail(Code::kInvalid, fmt::format("a stored Backup cannot be in phase {}",
                                              quote(api::status_text(backup, api::field::kPhase))));
  }
  TRY("", json::set_at(backup, {"spec", "storageLocation"}, target.location));
  TRY("", k8s::set_label(backup, api::label::kStorageLocation, k8s::label_safe(target.location)));
  return backup;
}

Result<std::optional<Json>> volume_backup_from_bucket(const Json& document, const api::Kind& kind, const Json& backup,
                                                      const SyncTarget& target) {
  if (!document.is_object()) {
    return fail(Code::kInvalid, fmt::format("{}: expected an object, got {}", kind.name, json::type_name(document)));
  }
  TRY_ASSIGN(Json object, "", taken_from(document, kind, target));
  if (!can_be_taken(object, kind)) return std::nullopt;
  const k8s::ObjectView owner(backup);
  const std::string name(owner.name());
  const std::string uid(owner.uid());
  TRY("", k8s::set_label(object, api::label::kBackupName, k8s::label_safe(name)));
  TRY("", k8s::set_label(object, api::label::kBackupUid, uid));
  object["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", api::kBackup.api_version()},
                                                        {"kind", std::string(api::kBackup.name)},
                                                        {"name", name},
                                                        {"uid", uid},
                                                        {"controller", true}}});
  if (kind == api::kPodVolumeBackup) {
    TRY("", json::set_at(object, {"spec", "backupStorageLocation"}, target.location));
  } else {
    TRY("", json::set_at(object, {"spec", "backup"}, name));
  }
  return object;
}

}  // namespace landfall::control
