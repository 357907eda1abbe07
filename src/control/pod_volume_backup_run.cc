#include "control/pod_volume_backup_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/labels.h"
#include "api/status.h"
#include "base/go_duration.h"
#include "control/pod_claims.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using api::TransferPhase;
using json::Json;

namespace {

std::string selector_of(const Json& backup) {
  return fmt::format("{}={}", api::label::kBackupUid, k8s::ObjectView(backup).uid());
}

}  // namespace

PodVolumeBackupRun::PodVolumeBackupRun(const Context& context, const PodVolumeSettings& settings, Json backup,
                                       std::string location, progress::ItemReporter& progress, Logger log)
    : context_(context),
      settings_(settings),
      backup_(std::move(backup)),
      location_(std::move(location)),
      progress_(progress),
      log_(std::move(log)),
      timeout_(pod_volume_timeout(backup_, settings)),
      deadline_(context.clock.after(timeout_)),
      agents_(context),
      repositories_(context, settings.resource_timeout),
      watch_(context, api::kPodVolumeBackup, selector_of(backup_), [&progress] { progress.alive(); }) {}

void PodVolumeBackupRun::end_earlier(const std::stop_token& stop) {
  const auto found = context_.objects(api::kPodVolumeBackup).list({.label_selector = selector_of(backup_)}, stop);
  if (!found) {
    log_.warning("Pod volumes of an earlier try cannot be listed, and go on", {LogField(found.error())});
    return;
  }
  std::set<std::string> open;
  for (const Json& one : found->items) {
    const std::string name(k8s::ObjectView(one).name());
    earlier_.insert(name);
    const auto phase = api::phase_of<TransferPhase>(one);
    if (phase && !api::is_final(*phase)) open.insert(name);
  }
  watch_.cancel(open);
}

std::vector<PodVolumeBackupRun::Refusal> PodVolumeBackupRun::refuse_all(const std::vector<std::string>& volumes,
                                                                        const std::string& why) const {
  std::vector<Refusal> refused;
  refused.reserve(volumes.size());
  for (const std::string& volume : volumes) refused.push_back({.volume = volume, .why = why});
  return refused;
}

Json PodVolumeBackupRun::document(const Json& pod, const std::string& volume, const std::string& repository,
                                  const Json* claim) const {
  const k8s::ObjectView view(pod);
  const k8s::ObjectView backup(backup_);
  const std::string name_space(view.name_space());
  const std::string name(view.name());
  const std::string uid(view.uid());
  Json metadata = {{"generateName", fmt::format("{}-", backup.name())},
                   {"namespace", context_.name_space},
                   {"labels",
                    {{std::string(api::label::kBackupName), k8s::label_safe(backup.name())},
                     {std::string(api::label::kBackupUid), std::string(backup.uid())}}},
                   {"ownerReferences", Json::array({{{"apiVersion", api::kBackup.api_version()},
                                                     {"kind", std::string(api::kBackup.name)},
                                                     {"name", std::string(backup.name())},
                                                     {"uid", std::string(backup.uid())},
                                                     {"controller", true}}})}};
  // As Velero's restic had them, so that others find them.
  Json tags = {{"backup", std::string(backup.name())},
               {"backup-uid", std::string(backup.uid())},
               {"pod", name},
               {"pod-uid", uid},
               {"ns", name_space},
               {"volume", volume}};
  if (claim != nullptr) {
    const k8s::ObjectView claimed(*claim);
    metadata["labels"][std::string(api::label::kPvcUid)] = std::string(claimed.uid());
    metadata["annotations"][std::string(api::annotation::kPvcName)] = std::string(claimed.name());
    tags["pvc-uid"] = std::string(claimed.uid());
  }
  Json spec = {{"node", json::string_or(pod, {"spec", "nodeName"}, "")},
               {"pod", {{"kind", "Pod"}, {"namespace", name_space}, {"name", name}, {"uid", uid}}},
               {"volume", volume},
               {"backupStorageLocation", location_},
               {"repoIdentifier", repository},
               {"uploaderType", settings_.uploader_type},
               {"tags", std::move(tags)}};
  if (json::has(backup_, {"spec", "uploaderConfig"})) {
    const std::int64_t files = json::int_or(backup_, {"spec", "uploaderConfig", "parallelFilesUpload"}, 0);
    spec["uploaderSettings"] = {{"ParallelFilesUpload", std::to_string(files)}};
  }
  return {{"apiVersion", api::kPodVolumeBackup.api_version()},
          {"kind", std::string(api::kPodVolumeBackup.name)},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)}};
}

Result<std::string> PodVolumeBackupRun::create(const Json& pod, const std::string& volume,
                                               const std::string& repository, const std::stop_token& stop) {
  TRY_ASSIGN(const std::optional<Json> claim, "", claim_of(context_.client, pod, volume, stop));
  const Json wanted = document(pod, volume, repository, claim ? &*claim : nullptr);
  if (stop.stop_requested()) return fail(Code::kCancelled, "the backup was stopped");
  // No stop cuts this off: one that is made and not known of would go on with nobody to end it.
  TRY_ASSIGN(Json created, "make a PodVolumeBackup",
             context_.objects(api::kPodVolumeBackup).within(kPodVolumeMakeTime).create(wanted, {}));
  std::string name(k8s::ObjectView(created).name());
  watch_.made(std::move(created));
  return name;
}

std::vector<PodVolumeBackupRun::Refusal> PodVolumeBackupRun::begin(const Json& pod,
                                                                   const std::vector<std::string>& volumes,
                                                                   const std::stop_token& stop) {
  const k8s::ObjectView view(pod);
  const std::string name_space(view.name_space());
  if (const Status agent = agents_.check(json::string_or(pod, {"spec", "nodeName"}, ""), stop); !agent) {
    return refuse_all(volumes, agent.error().message());
  }
  const auto repository = repositories_.ensure(
      {.volume_namespace = name_space, .location = location_, .type = settings_.uploader_type}, stop);
  if (!repository) return refuse_all(volumes, repository.error().message());
  std::vector<Refusal> refused;
  for (const std::string& volume : volumes) {
    auto name = create(pod, volume, *repository, stop);
    if (!name) {
      refused.push_back({.volume = volume, .why = name.error().message()});
      continue;
    }
    const Begun one{.pod_uid = std::string(view.uid()),
                    .name_space = name_space,
                    .pod = std::string(view.name()),
                    .volume = volume};
    begun_.with([&](AllBegun& all) { all.emplace(*std::move(name), one); });
  }
  return refused;
}

// An agent may have died since, or a node: whoever looks at the object sees what it waits for.
std::string PodVolumeBackupRun::explain(const Json& one, const std::stop_token& stop) {
  const Status agent = agents_.check(json::string_or(one, {"spec", "node"}, ""), stop);
  if (!agent) {
    progress_.blame(agent.error().message());
    return "waits: " + agent.error().message();
  }
  return api::phase_of<TransferPhase>(one) == TransferPhase::kNew
             ? "waits for the node agent to take it, which copies a few volumes at a time"
             : "";
}

std::set<std::string> PodVolumeBackupRun::wait(const std::set<std::string>& names, const std::stop_token& stop) {
  return watch_.wait(
      names, deadline_, [this](const Json& one, const std::stop_token& token) { return explain(one, token); }, stop);
}

void PodVolumeBackupRun::wait_for(const Json& pod, const std::stop_token& stop) {
  const k8s::ObjectView view(pod);
  std::set<std::string> names;
  begun_.with([&](const AllBegun& all) {
    for (const auto& [name, one] : all) {
      if (one.pod_uid == view.uid()) names.insert(name);
    }
  });
  if (!names.empty()) wait(names, stop);
}

void PodVolumeBackupRun::report(const Begun& one, const std::string& why) const {
  log_.error("Pod volume backup failed",
             {{"resource", "pods"},
              {"namespace", one.name_space},
              {"name", one.pod},
              {"error", fmt::format("pod {}/{}, volume {}: {}", one.name_space, one.pod, one.volume, why)}});
}

PodVolumeBackupRun::Ended PodVolumeBackupRun::finish(const std::stop_token& stop, const std::stop_token& hurry) {
  const AllBegun begun = begun_.copy();
  std::set<std::string> names;
  for (const auto& [name, one] : begun) names.insert(name);
  if (!names.empty()) progress_.doing(fmt::format("waiting for {} pod volumes", names.size()));
  const std::set<std::string> late = wait(names, stop);
  const bool is_stopped = stop.stop_requested();
  if (!late.empty()) {
    watch_.cancel(late);
    watch_.wait(late, context_.clock.after(kPodVolumeEndTime), hurry);
  }
  Ended ended;
  for (const auto& [name, one] : begun) {
    const kube::Object object = watch_.get(name);
    if (!object) {
      report(one, "PodVolumeBackup " + name + " was deleted before it had ended");
      continue;
    }
    ended.volumes.push_back(*object);
    if (api::phase_of<TransferPhase>(*object) == TransferPhase::kCompleted) continue;
    const std::string why = api::status_text(*object, api::field::kMessage);
    const std::string in_time =
        is_stopped ? "the backup was stopped" : "not done within " + format_go_duration(timeout_);
    if (!late.contains(name)) {
      report(one, why.empty() ? "it ended as " + api::status_text(*object, api::field::kPhase) : why);
    } else {
      report(one, in_time + (why.empty() ? "" : ": " + why));
    }
  }
  if (!earlier_.empty() && !watch_.wait_synced(settings_.resource_timeout, hurry)) {
    log_.warning("What an earlier try has copied may be missing in the backup: its volumes cannot be listed");
  }
  for (const std::string& name : earlier_) {
    const kube::Object object = watch_.get(name);
    if (object && !api::status_text(*object, "snapshotID").empty()) ended.earlier.push_back(*object);
  }
  return ended;
}

}  // namespace landfall::control
