#include "control/backup_repository_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/names.h"
#include "api/pod_volume.h"
#include "api/status.h"
#include "base/go_duration.h"
#include "base/quote.h"
#include "base/rfc3339.h"
#include "control/change.h"
#include "control/due.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "metrics/server_metrics.h"

namespace landfall::control {
namespace {

using api::RepositoryPhase;
using json::Json;

constexpr std::size_t kMaxHistory = 25;

std::string name_of(const Json& repository) { return std::string(k8s::ObjectView(repository).name()); }

// What makes it another repository when it changes.
std::string place_of(const FoundLocation& location) {
  Json place = Json::array();
  for (const char* const part : {"provider", "objectStorage", "config"}) {
    const Json* found = json::find(location.object, {"spec", part});
    place.push_back(found == nullptr ? Json() : *found);
  }
  return json::dump(place);
}

// The newest last, as in Velero.
Status add_history(Json& repository, WallTime started, WallTime ended, const Status& done) {
  Json entry = {{"result", done ? "Succeeded" : "Failed"},
                {"startTimestamp", format_rfc3339(started)},
                {"completeTimestamp", format_rfc3339(ended)}};
  if (!done) entry["message"] = done.error().message();
  const Json* before = json::find(repository, {"status", "recentMaintenance"});
  Json history = before != nullptr && before->is_array() ? *before : Json::array();
  history.push_back(std::move(entry));
  while (history.size() > kMaxHistory) history.erase(history.begin());
  return json::set_at(repository, {"status", "recentMaintenance"}, std::move(history));
}

}  // namespace

BackupRepositoryReconciler::BackupRepositoryReconciler(const Context& context, Settings settings,
                                                       std::vector<RepositoryManager*> managers)
    : context_(context), settings_(settings), managers_(std::move(managers)) {}

Result<kube::Reconciled> BackupRepositoryReconciler::reconcile(const k8s::NamespacedName& name,
                                                               const std::stop_token& stop) {
  auto object = context_.objects(api::kBackupRepository).get(name.name, stop);
  if (!object && object.error().code() == Code::kNotFound) {
    places_.with([&](auto& places) { places.erase(name.name); });
    return kube::Reconciled{};
  }
  if (!object) return fail("", std::move(object).error());
  if (k8s::ObjectView(*object).is_being_deleted()) return kube::Reconciled{};

  RepositoryManager* manager = manager_of(*object);
  if (manager == nullptr) {
    TRY("", set_not_ready(*object,
                          fmt::format("this server has no uploader for repositories of type {}",
                                      quote(api::repository_type(*object))),
                          stop));
    return kube::Reconciled{};
  }
  const kube::Reconciled later{.again_after = settings_.resync};
  const std::string location = json::string_or(*object, {"spec", "backupStorageLocation"}, "");
  auto found = context_.locations.find(location, stop);
  if (!found) {
    if (is_retryable(found.error().code())) return fail("", std::move(found).error());
    TRY("",
        set_not_ready(*object, fmt::format("backup storage location {}: {}", quote(location), found.error().message()),
                      stop));
    return later;
  }
  if (!found->view.is_available) return later;
  const Repository repository{.object = *std::move(object), .location = *std::move(found), .manager = *manager};
  const bool is_ready = api::phase_of<RepositoryPhase>(repository.object) == RepositoryPhase::kReady;
  return is_ready && !has_moved(repository) ? maintain(repository, stop) : prepare(repository, stop);
}

RepositoryManager* BackupRepositoryReconciler::manager_of(const Json& repository) const {
  const auto found = std::ranges::find(managers_, api::repository_type(repository),
                                       [](const RepositoryManager* manager) { return manager->type(); });
  return found == managers_.end() ? nullptr : *found;
}

Status BackupRepositoryReconciler::set_not_ready(const Json& repository, const std::string& message,
                                                 const std::stop_token& stop) const {
  Json changed = repository;
  TRY("", api::set_phase(changed, RepositoryPhase::kNotReady));
  TRY("", api::set_status_text(changed, api::field::kMessage, message));
  return write_change(context_.objects(api::kBackupRepository), repository, changed, stop);
}

// A server that has just started takes the place for the one that it was prepared in.
bool BackupRepositoryReconciler::has_moved(const Repository& repository) {
  std::string place = place_of(repository.location);
  return places_.with([&](auto& places) {
    const auto [entry, is_new] = places.try_emplace(name_of(repository.object), place);
    return entry->second != place;
  });
}

Duration BackupRepositoryReconciler::frequency_of(const Repository& repository) const {
  const auto said = parse_go_duration(json::string_or(repository.object, {"spec", "maintenanceFrequency"}, ""));
  if (said && *said > Duration::zero()) return *said;
  return settings_.maintenance_frequency > Duration::zero() ? settings_.maintenance_frequency
                                                            : repository.manager.maintenance_frequency();
}

Result<kube::Reconciled> BackupRepositoryReconciler::prepare(const Repository& repository,
                                                             const std::stop_token& stop) {
  using IfMissing = RepositoryManager::IfMissing;
  const IfMissing if_missing = repository.location.view.is_read_only ? IfMissing::kFail : IfMissing::kCreate;
  const auto prepared = repository.manager.prepare(repository.object, repository.location, if_missing, stop);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!prepared) {
    TRY("", set_not_ready(repository.object, prepared.error().message(), stop));
    return kube::Reconciled{.again_after = settings_.resync};
  }
  Json changed = repository.object;
  const Duration frequency = frequency_of(repository);
  TRY("", json::set_at(changed, {"spec", "maintenanceFrequency"}, format_go_duration(frequency)));
  // So that the repository is found by whoever goes back to Velero.
  TRY("", json::set_at(changed, {"spec", "resticIdentifier"}, *prepared));
  TRY("", api::set_phase(changed, RepositoryPhase::kReady));
  TRY("", api::set_status_text(changed, api::field::kMessage, ""));
  // A new one needs no maintenance yet.
  if (!json::has(changed, {"status", "lastMaintenanceTime"})) {
    TRY("", api::set_status_time(changed, "lastMaintenanceTime", context_.clock.wall_now()));
  }
  TRY("", write_change(context_.objects(api::kBackupRepository), repository.object, changed, stop));
  places_.with([&](auto& places) { places[name_of(changed)] = place_of(repository.location); });
  return kube::Reconciled{.again_after = std::min(frequency, settings_.resync)};
}

Result<kube::Reconciled> BackupRepositoryReconciler::maintain(const Repository& repository,
                                                              const std::stop_token& stop) const {
  const Duration frequency = frequency_of(repository);
  const WallTime started = context_.clock.wall_now();
  const Duration left = until_due(api::status_time(repository.object, "lastMaintenanceTime"), frequency, started);
  if (repository.location.view.is_read_only) return kube::Reconciled{.again_after = settings_.resync};
  if (left > Duration::zero()) return kube::Reconciled{.again_after = std::min(left, settings_.resync)};

  const SteadyTime from = context_.clock.now();
  const Status done = repository.manager.maintain(repository.object, repository.location, stop);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  const std::string name = name_of(repository.object);
  const std::chrono::duration<double> took = context_.clock.now() - from;
  context_.metrics.observe(metrics::kRepoMaintenanceDurationSeconds, {name}, took.count());
  context_.metrics.count(done ? metrics::kRepoMaintenanceSuccessTotal : metrics::kRepoMaintenanceFailureTotal, {name});

  Json changed = repository.object;
  const WallTime ended = context_.clock.wall_now();
  TRY("", add_history(changed, started, ended, done));
  if (done) TRY("", api::set_status_time(changed, "lastMaintenanceTime", ended));
  TRY("", write_change(context_.objects(api::kBackupRepository), repository.object, changed, stop));
  return kube::Reconciled{.again_after = done ? std::min(frequency, settings_.resync) : settings_.resync};
}

}  // namespace landfall::control
