#include "control/plugin_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "base/quote.h"
#include "control/change.h"
#include "control/snapshot_cleanup.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;
using State = TransferSight::State;

namespace {

// How far the clock of the API server, which is cut to seconds, may be behind ours.
constexpr Duration kClockSkew = std::chrono::seconds(5);

bool is_legal_name(const std::string& name) { return k8s::dns1123_subdomain_problems(name).empty(); }

bool is_ours(const Json& resource) {
  return k8s::ObjectView(resource).annotations().contains(std::string(api::annotation::kWrittenByServer));
}

std::string label_of(const Json& resource, std::string_view key) {
  return std::string(k8s::ObjectView(resource).labels().get(std::string(key)).value_or(""));
}

// It had said how far it was, and knows nothing of it any more.
extension::TransferProgress forgotten(const Error& error) {
  extension::TransferProgress progress;
  progress.phase = "Failed";
  progress.message = "the plugin does not know it any more: " + error.message();
  return progress;
}

std::string backup_name_of(const Json& owner, bool is_restore) {
  return is_restore ? json::string_or(owner, {"spec", "backupName"}, "") : std::string(k8s::ObjectView(owner).name());
}

}  // namespace

PluginTransfers::PluginTransfers(const Context& context, std::shared_ptr<Snapshotters> snapshotters, Json owner,
                                 Logger log)
    : context_(context),
      snapshotters_(std::move(snapshotters)),
      owner_(std::move(owner)),
      is_restore_(k8s::ObjectView(owner_).kind() == api::kRestore.name),
      backup_(backup_name_of(owner_, is_restore_)),
      log_(std::move(log)),
      resources_(context, log_) {}

const api::Kind& PluginTransfers::kind() const {
  return is_restore_ ? api::kVolumePluginRestore : api::kVolumePluginBackup;
}

kube::Resource PluginTransfers::objects() const { return context_.objects(kind()); }

std::string PluginTransfers::name_of_kind() const { return std::string(kind().name); }

bool PluginTransfers::is_marked(const Json& resource) const {
  const auto uid = is_restore_ ? api::label::kRestoreUid : api::label::kBackupUid;
  return label_of(resource, uid) == k8s::ObjectView(owner_).uid();
}

bool PluginTransfers::is_of_another(const Json& resource) const {
  const std::string backup = json::string_or(resource, {"spec", "backup"}, "");
  const auto uid = is_restore_ ? api::label::kRestoreUid : api::label::kBackupUid;
  return (!backup.empty() && backup != backup_) || (!label_of(resource, uid).empty() && !is_marked(resource));
}

bool PluginTransfers::is_about(const Json& resource, const PluginTransfer& transfer) const {
  if (is_of_another(resource)) return false;
  if (!is_restore_) return json::string_or(resource, {"status", "snapshotID"}, "") == transfer.snapshot;
  if (json::string_or(resource, {"spec", "snapshotID"}, "") != transfer.snapshot) return false;
  if (is_marked(resource)) return label_of(resource, api::label::kPvName) == k8s::label_safe(transfer.volume);
  // Plugins differ in what they call the volume; one that names another is another's.
  const std::string volume = json::string_or(resource, {"status", "volumeID"}, "");
  const bool is_another = !transfer.volume_id.empty() && volume != transfer.volume_id && volume != transfer.volume;
  if (!volume.empty() && is_another) return false;
  const auto created = k8s::ObjectView(resource).creation_timestamp();
  return created && transfer.asked_at && *created >= *transfer.asked_at - kClockSkew;
}

void PluginTransfers::warn_of_stranger(const Json& resource) {
  const std::string name(k8s::ObjectView(resource).name());
  if (!strangers_.with([&](auto& known) { return known.insert(name).second; })) return;
  log_.warning(
      fmt::format("{} {} has the name of a snapshot of this backup, but belongs to backup {}: it is left alone",
                  name_of_kind(), name, quote(json::string_or(resource, {"spec", "backup"}, ""))));
}

Result<PluginTransfers::Found> PluginTransfers::find_named(const std::string& name, const PluginTransfer& transfer,
                                                           const std::stop_token& stop) {
  auto found = objects().get(name, stop);
  if (!found && resources_.are_missing(found.error())) return Found();
  if (!found) return fail("", std::move(found).error());
  if (is_restore_ ? !is_about(*found, transfer) : is_of_another(*found)) {
    if (!is_restore_) warn_of_stranger(*found);
    return Found();
  }
  return Found(*std::move(found));
}

Result<PluginTransfers::Found> PluginTransfers::find_listed(const PluginTransfer& transfer,
                                                            const std::stop_token& stop) {
  TRY_ASSIGN(std::vector<Json> all, "", resources_.list(kind(), {}, stop));
  Json* best = nullptr;
  for (Json& one : all) {
    if (!is_about(one, transfer)) continue;
    // The plugin's own before ours. One that is marked already was found before; else the oldest, so that two that look
    // take different ones.
    const auto rank = [this](const Json& object) {
      return std::tuple(is_ours(object), !is_marked(object), k8s::ObjectView(object).creation_timestamp());
    };
    if (best == nullptr || rank(one) < rank(*best)) best = &one;
  }
  return best == nullptr ? Found() : Found(std::move(*best));
}

Result<PluginTransfers::Found> PluginTransfers::find(const PluginTransfer& transfer, const std::stop_token& stop) {
  if (!transfer.resource.empty()) {
    TRY_ASSIGN(Found found, "", find_named(transfer.resource, transfer, stop));
    // One that we have made up a name for may have got company: the plugin's own.
    if (found && (!is_ours(*found) || transfer.resource == transfer.snapshot)) return found;
  }
  if (is_restore_) return find_listed(transfer, stop);
  if (is_legal_name(transfer.snapshot)) {
    TRY_ASSIGN(Found found, "", find_named(transfer.snapshot, transfer, stop));
    const bool is_taken = strangers_.with([&](const auto& known) { return known.contains(transfer.snapshot); });
    if (found || !is_taken) return found;
  }
  return find_listed(transfer, stop);
}

Status PluginTransfers::set_marks(Json& resource, const PluginTransfer& transfer) const {
  const k8s::ObjectView owner(owner_);
  const auto name_key = is_restore_ ? api::label::kRestoreName : api::label::kBackupName;
  const auto uid_key = is_restore_ ? api::label::kRestoreUid : api::label::kBackupUid;
  TRY("", k8s::set_label(resource, name_key, k8s::label_safe(owner.name())));
  TRY("", k8s::set_label(resource, uid_key, owner.uid()));
  TRY("", k8s::set_label(resource, api::label::kPvName, k8s::label_safe(transfer.volume)));
  if (json::string_or(resource, {"spec", "volumeSnapshotLocation"}, "").empty()) {
    TRY("", json::set_at(resource, {"spec", "volumeSnapshotLocation"}, transfer.location));
  }
  if (!k8s::ObjectView(resource).owner_references().empty()) return {};
  return json::set_at(resource, {"metadata", "ownerReferences"},
                      Json::array({{{"apiVersion", std::string(owner.api_version())},
                                    {"kind", std::string(owner.kind())},
                                    {"name", std::string(owner.name())},
                                    {"uid", std::string(owner.uid())}}}));
}

// Only if nobody has changed it since: two restores of one snapshot must not take the same one.
Status PluginTransfers::mark(Json& resource, const PluginTransfer& transfer, const std::stop_token& stop) const {
  const Json before = resource;
  TRY("", set_marks(resource, transfer));
  return write_change(objects(), before, resource, stop, is_marked(before) ? IfChanged::kMerge : IfChanged::kConflict);
}

Result<PluginTransfers::Found> PluginTransfers::take(PluginTransfer& transfer, const std::stop_token& stop) {
  TRY_ASSIGN(Found found, "look for its " + name_of_kind(), find(transfer, stop));
  if (!found) return found;
  const Status marked = mark(*found, transfer, stop);
  if (!marked && marked.error().code() == Code::kNotFound) return Found();
  // A plugin that writes just now: what it says counts all the same, and the marks come at the next look.
  if (!marked && marked.error().code() != Code::kConflict) return fail("mark " + name_of_kind(), marked.error());
  if (!marked && is_restore_ && !is_marked(*found)) return Found();
  const std::string before = std::exchange(transfer.resource, std::string(k8s::ObjectView(*found).name()));
  if (!before.empty() && before != transfer.resource) remove_ours(before, stop);
  return found;
}

// The plugin has written one itself after all.
void PluginTransfers::remove_ours(const std::string& name, const std::stop_token& stop) const {
  const auto ours = objects().get(name, stop);
  if (!ours || !is_ours(*ours) || !is_marked(*ours)) return;
  const auto removed = objects().remove(name, stop, {.uid = std::string(k8s::ObjectView(*ours).uid())});
  if (!removed) log_.info("A resource is there twice", {{"name", name}, LogField(removed.error())});
}

TransferSight PluginTransfers::look_at_resource(PluginTransfer& transfer, const std::stop_token& stop) {
  const auto found = take(transfer, stop);
  if (!found) return {.state = State::kUnclear, .message = found.error().message()};
  return *found ? sight_of(**found) : TransferSight{};
}

TransferSight PluginTransfers::look(PluginTransfer& transfer, const std::stop_token& stop) {
  const bool was_known = !transfer.resource.empty();
  auto found = take(transfer, stop);
  if (!found) return {.state = State::kUnclear, .message = found.error().message()};
  if (*found && is_over(sight_of(**found))) return sight_of(**found);
  auto opened = snapshotters_ ? snapshotters_->get(transfer.location, stop)
                              : Result<Snapshotters::Opened>(fail(Code::kUnsupported, "nobody is asked"));
  auto told = [&]() -> Result<extension::TransferProgress> {
    if (!opened) return tl::unexpected<Error>(opened.error());
    extension::VolumeSnapshotter& snapshotter = *(*opened)->snapshotter;
    return is_restore_ ? snapshotter.volume_progress(transfer.volume_id, transfer.snapshot, stop)
                       : snapshotter.snapshot_progress(transfer.snapshot, stop);
  }();
  // The plugin has a voice of its own; it was asked only so that it goes on.
  if (*found && !is_ours(**found)) return sight_of(**found);
  if (!told && *found && told.error().code() == Code::kNotFound) told = forgotten(told.error());
  if (!told) {
    TransferSight sight = without_answer(told.error(), transfer, *found);
    if (sight.state == State::kUnknown && was_known) {
      return {.state = State::kFailed,
              .phase = "Failed",
              .message = fmt::format("{} {} was deleted before it had ended", name_of_kind(), transfer.resource)};
    }
    return sight;
  }
  return write_down(transfer, *found, *told, opened ? (*opened)->provider : "", stop);
}

TransferSight PluginTransfers::write_down(PluginTransfer& transfer, const Found& found,
                                          const extension::TransferProgress& progress, const std::string& provider,
                                          const std::stop_token& stop) {
  TransferSight sight = sight_of(progress);
  if (found) keep_bytes(sight, sight_of(*found));
  const Status written = write(transfer, found, progress, provider, stop);
  if (written) return sight;
  if (written.error().code() != Code::kConflict) {
    log_.info(name_of_kind() + " could not be written, and is tried again",
              {{"snapshot", transfer.snapshot}, LogField(written.error())});
  }
  // Nobody looks again at what is over: the resource would say for ever that it goes on.
  if (is_over(sight)) return {.state = State::kUnclear, .message = written.error().message()};
  return sight;
}

TransferSight PluginTransfers::without_answer(const Error& error, const PluginTransfer& transfer,
                                              const Found& found) const {
  const Code code = error.code();
  if (!found && (code == Code::kUnsupported || code == Code::kNotFound)) return {};
  log_.info("A volume snapshotter does not say how far it is", {{"snapshot", transfer.snapshot}, LogField(error)});
  TransferSight sight;
  if (found) sight = sight_of(*found);
  if (!found) sight.state = State::kUnclear;
  sight.message = error.message();
  return sight;
}

Result<Json> PluginTransfers::document(const PluginTransfer& transfer, const std::string& provider) const {
  Json resource = {{"apiVersion", kind().api_version()},
                   {"kind", name_of_kind()},
                   {"metadata", {{"namespace", context_.name_space}}},
                   {"spec", {{"backup", backup_}, {"plugin", provider}}},
                   {"status", Json::object()}};
  const bool is_taken = strangers_.with([&](const auto& known) { return known.contains(transfer.snapshot); });
  if (!is_restore_ && is_legal_name(transfer.snapshot) && !is_taken) {
    resource["metadata"]["name"] = transfer.snapshot;
  } else {
    resource["metadata"]["generateName"] = std::string(k8s::ObjectView(owner_).name()) + "-";
  }
  if (is_restore_) {
    resource["spec"]["snapshotID"] = transfer.snapshot;
    resource["status"]["volumeID"] = transfer.volume;
  } else {
    resource["spec"]["volume"] = transfer.volume;
    resource["status"]["snapshotID"] = transfer.snapshot;
  }
  TRY("", set_marks(resource, transfer));
  TRY("", k8s::set_annotation(resource, api::annotation::kWrittenByServer, "true"));
  return resource;
}

Status PluginTransfers::write(PluginTransfer& transfer, const Found& found, const extension::TransferProgress& progress,
                              const std::string& provider, const std::stop_token& stop) {
  if (found) {
    Json after = *found;
    TRY("", set_transfer_status(after, progress, context_.clock.wall_now()));
    return write_change(objects(), *found, after, stop, IfChanged::kConflict);
  }
  TRY_ASSIGN(Json resource, "", document(transfer, provider));
  TRY("", set_transfer_status(resource, progress, context_.clock.wall_now()));
  const auto created = objects().create(resource, stop);
  // The plugin's own has come in this moment, and is seen at the next look.
  if (!created && created.error().code() == Code::kAlreadyExists) {
    return fail(Code::kConflict, created.error().message());
  }
  // Then its plugin is asked to the end, and nobody sees how far it is.
  if (!created && resources_.are_missing(created.error())) return {};
  if (!created) return fail("", created.error());
  transfer.resource = std::string(k8s::ObjectView(*created).name());
  return {};
}

Status PluginTransfers::tell_to_stop(const PluginTransfer& transfer, const std::stop_token& stop) {
  if (!snapshotters_) return {};
  TRY_ASSIGN(const Snapshotters::Opened opened, "", snapshotters_->get(transfer.location, stop));
  Status told = is_restore_ ? opened->snapshotter->cancel_volume(transfer.volume_id, transfer.snapshot, stop)
                            : opened->snapshotter->cancel_snapshot(transfer.snapshot, stop);
  const bool is_fine = told || told.error().code() == Code::kUnsupported || told.error().code() == Code::kNotFound;
  return is_fine ? Status() : told;
}

Status PluginTransfers::cancel(PluginTransfer& transfer, const std::stop_token& stop) {
  Status told = tell_to_stop(transfer, stop);
  TRY_ASSIGN(const Found found, "", take(transfer, stop));
  if (!found || is_over(sight_of(*found))) return told;
  Json after = *found;
  TRY("", json::set_at(after, {"spec", "cancel"}, true));
  if (is_ours(*found)) {
    TRY("", api::set_phase(after, api::VolumePluginPhase::kCanceled));
    TRY("", api::set_status_time(after, api::field::kCompletionTimestamp, context_.clock.wall_now()));
  }
  const Status written = write_change(objects(), *found, after, stop);
  if (!written && written.error().code() != Code::kNotFound) return written;
  return told;
}

Result<std::vector<Json>> PluginTransfers::resources(const std::stop_token& stop) {
  const auto uid = is_restore_ ? api::label::kRestoreUid : api::label::kBackupUid;
  const std::string selector = fmt::format("{}={}", uid, k8s::ObjectView(owner_).uid());
  return resources_.list(kind(), {.label_selector = selector}, stop);
}

Result<bool> PluginTransfers::has_resources(const std::stop_token& stop) {
  TRY_ASSIGN(const std::vector<Json> all, "", resources_.list(kind(), {}, stop));
  return !all.empty();
}

Result<std::vector<Json>> PluginTransfers::unmarked(const std::stop_token& stop) {
  TRY_ASSIGN(std::vector<Json> all, "", resources_.list(kind(), {}, stop));
  std::erase_if(all, [&](const Json& one) { return !is_left_unmarked(one, owner_); });
  return all;
}

Result<bool> PluginTransfers::writes_resources(const std::string& location, const std::stop_token& stop) {
  if (!snapshotters_) return false;
  TRY_ASSIGN(const Snapshotters::Opened opened, "", snapshotters_->get(location, stop));
  for (const api::Kind& either : {api::kVolumePluginBackup, api::kVolumePluginRestore}) {
    TRY_ASSIGN(const std::vector<Json> all, "", resources_.list(either, {}, stop));
    const bool has_some = std::ranges::any_of(all, [&](const Json& one) {
      return !is_ours(one) && location::full_provider(json::string_or(one, {"spec", "plugin"}, "")) == opened->provider;
    });
    if (has_some) return true;
  }
  return false;
}

}  // namespace landfall::control
