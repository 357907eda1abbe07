#include "control/storage_location_reconciler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/names.h"
#include "api/status.h"
#include "api/storage_location.h"
#include "base/strings.h"
#include "control/change.h"
#include "control/due.h"
#include "control/location_clash.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "metrics/server_metrics.h"

namespace landfall::control {
namespace {

// An upload that began longer ago is dead.
constexpr Duration kSweepEvery = std::chrono::hours(24);

using json::Json;

std::string name_of(const Json& object) { return std::string(k8s::ObjectView(object).name()); }

bool is_default(const Json& location) { return json::bool_or(location, {"spec", "default"}, false); }

// What makes a validation necessary when it changes.
std::string text_of_spec(const Json& location) {
  const Json* spec = json::find(location, {"spec"});
  if (spec == nullptr) return {};
  Json copy = *spec;
  json::erase_at(copy, {"default"});
  return json::dump(copy);
}

}  // namespace

StorageLocationReconciler::StorageLocationReconciler(const Context& context, Settings settings)
    : context_(context), settings_(std::move(settings)) {}

Result<kube::Reconciled> StorageLocationReconciler::reconcile(const k8s::NamespacedName& name,
                                                              const std::stop_token& stop) {
  TRY_ASSIGN(const kube::ObjectList all, "", context_.objects(api::kBackupStorageLocation).list({}, stop));
  TRY("keep one default location", keep_one_default(all.items, stop));
  const auto found = std::ranges::find(all.items, name.name, name_of);
  if (found == all.items.end()) {
    forget(name.name);
    return kube::Reconciled{};
  }
  if (k8s::ObjectView(*found).is_being_deleted()) return kube::Reconciled{};

  const std::optional<Duration> left = due_in(*found);
  if (left && *left > Duration::zero()) return kube::Reconciled{.again_after = left};
  if (left) {
    TRY("", validate(*found, all.items, stop));
  } else {
    adopt(*found);
  }
  const auto view = api::read_storage_location(*found);
  return kube::Reconciled{.again_after = view ? view->validate_every(settings_.validation_frequency)
                                              : std::optional(settings_.validation_frequency)};
}

void StorageLocationReconciler::forget(const std::string& name) {
  validated_.with([&](auto& validated) { validated.erase(name); });
  context_.metrics.forget(metrics::kBackupLocationStatusGauge, {name});
}

void StorageLocationReconciler::adopt(const Json& location) {
  const std::string name = name_of(location);
  validated_.with([&](auto& validated) { validated.try_emplace(name, text_of_spec(location)); });
  const bool is_available = api::phase_of<api::LocationPhase>(location) == api::LocationPhase::kAvailable;
  context_.metrics.set(metrics::kBackupLocationStatusGauge, {name}, is_available ? 1 : 0);
}

// Of several the most recently created one stays, as in Velero.
Status StorageLocationReconciler::keep_one_default(const std::vector<Json>& all, const std::stop_token& stop) const {
  const Json* newest = nullptr;
  for (const Json& location : all) {
    if (!is_default(location) || k8s::ObjectView(location).is_being_deleted()) continue;
    if (newest == nullptr ||
        k8s::ObjectView(*newest).creation_timestamp() < k8s::ObjectView(location).creation_timestamp()) {
      newest = &location;
    }
  }
  if (newest == nullptr) {
    const auto named = std::ranges::find(all, settings_.default_location, name_of);
    if (named == all.end() || k8s::ObjectView(*named).is_being_deleted()) return {};
    return set_default(*named, true, stop);
  }
  for (const Json& location : all) {
    if (&location == newest || !is_default(location) || k8s::ObjectView(location).is_being_deleted()) continue;
    TRY("", set_default(location, false, stop));
    context_.log.warning("more than one backup storage location is marked as the default: the newest one stays",
                         {{"default", name_of(*newest)}, {"no longer", name_of(location)}});
  }
  return {};
}

Status StorageLocationReconciler::set_default(const Json& location, bool is_default,
                                              const std::stop_token& stop) const {
  Json changed = location;
  TRY("", json::set_at(changed, {"spec", "default"}, is_default));
  Status written = write_change(context_.objects(api::kBackupStorageLocation), location, changed, stop);
  if (!written && written.error().code() == Code::kNotFound) return {};
  return written;
}

std::optional<Duration> StorageLocationReconciler::due_in(const Json& location) const {
  const auto view = api::read_storage_location(location);
  const std::optional<Duration> every =
      view ? view->validate_every(settings_.validation_frequency) : std::optional(settings_.validation_frequency);
  const auto last = api::status_time(location, api::field::kLastValidationTime);
  if (!last || api::status_text(location, api::field::kPhase).empty()) return Duration::zero();

  const std::string name = name_of(location);
  const auto known = validated_.with([&](const auto& validated) -> std::optional<std::string> {
    const auto entry = validated.find(name);
    return entry == validated.end() ? std::nullopt : std::optional(entry->second);
  });
  if (known && *known != text_of_spec(location)) return Duration::zero();
  if (!every) return std::nullopt;
  // A server that has just started does not rely on what another found.
  if (!known) return Duration::zero();
  return until_due(last, *every, context_.clock.wall_now());
}

Result<std::string> StorageLocationReconciler::check(const Json& location, const std::vector<Json>& all,
                                                     const std::stop_token& stop) const {
  TRY_ASSIGN(api::StorageLocation view, "", api::read_storage_location(location));
  const auto clash = clash_of(location, all);
  if (clash && clash->is_error) return fail(Code::kInvalid, clash->message);
  const FoundLocation found{.name = name_of(location), .object = location, .view = std::move(view)};
  TRY_ASSIGN(const auto opened, "", context_.locations.open(found, stop));
  TRY("", opened->backups().check_top_level(stop));
  return clash ? "warning: " + clash->message : std::string();
}

Status StorageLocationReconciler::validate(const Json& location, const std::vector<Json>& all,
                                           const std::stop_token& stop) {
  const std::string name = name_of(location);
  const auto checked = check(location, all, stop);
  // A server that stops has found out nothing.
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");

  Json changed = location;
  const auto phase = checked ? api::LocationPhase::kAvailable : api::LocationPhase::kUnavailable;
  TRY("", api::set_phase(changed, phase));
  TRY("", api::set_status_text(changed, api::field::kMessage, checked ? *checked : checked.error().message()));
  TRY("", api::set_status_time(changed, api::field::kLastValidationTime, context_.clock.wall_now()));
  Status written = write_change(context_.objects(api::kBackupStorageLocation), location, changed, stop);
  if (!written && written.error().code() == Code::kNotFound) return {};
  TRY("", std::move(written));

  validated_.with([&](auto& validated) { validated[name] = text_of_spec(location); });
  context_.metrics.set(metrics::kBackupLocationStatusGauge, {name}, checked ? 1 : 0);
  if (checked) sweep(location, stop);
  if (api::status_text(location, api::field::kPhase) != to_string(phase)) {
    if (checked) {
      context_.log.info("backup storage location is available", {{"location", name}});
    } else {
      context_.log.error("backup storage location is unavailable", {{"location", name}, LogField(checked.error())});
    }
  }
  return {};
}

// What a server that died over an upload left in the bucket is no object, but takes its place.
void StorageLocationReconciler::sweep(const Json& location, const std::stop_token& stop) {
  const std::string name = name_of(location);
  const WallTime now = context_.clock.wall_now();
  const bool is_due = swept_.with([&](auto& swept) {
    const auto last = swept.find(name);
    if (last != swept.end() && until_due(last->second, kSweepEvery, now) > Duration::zero()) return false;
    swept[name] = now;
    return true;
  });
  if (!is_due) return;
  const auto found = context_.locations.find(name, stop);
  if (!found || found->view.is_read_only) return;
  const auto bucket = context_.locations.open(*found, stop);
  if (!bucket) return;
  const auto removed = (*bucket)->backups().sweep(now - kSweepEvery, stop);
  if (!removed) {
    context_.log.info("leftovers of uploads could not be looked for", {{"location", name}, LogField(removed.error())});
  } else if (*removed > 0) {
    context_.log.info("leftovers of uploads were removed", {{"location", name}, {"count", *removed}});
  }
}

}  // namespace landfall::control
