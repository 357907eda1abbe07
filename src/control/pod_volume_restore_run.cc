#include "control/pod_volume_restore_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "api/labels.h"
#include "api/pod_volume.h"
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

std::string selector_of(const Json& restore) {
  return fmt::format("{}={}", api::label::kRestoreUid, k8s::ObjectView(restore).uid());
}

std::string text_at(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

// A backup that was interrupted has backed up some volumes twice: of each the newest that has data counts.
std::vector<Json> newest_with_data(const std::vector<Json>& backups) {
  std::map<std::array<std::string, 3>, const Json*> newest;
  for (const Json& one : backups) {
    if (text_at(one, {"status", "snapshotID"}).empty()) continue;
    const Json*& known = newest[{text_at(one, {"spec", "pod", "namespace"}), text_at(one, {"spec", "pod", "name"}),
                                 text_at(one, {"spec", "volume"})}];
    const auto ended = [](const Json& object) { return api::status_time(object, api::field::kCompletionTimestamp); };
    if (known == nullptr || ended(*known) < ended(one)) known = &one;
  }
  std::vector<Json> found;
  found.reserve(newest.size());
  for (const auto& [key, one] : newest) found.push_back(*one);
  return found;
}

// "pod shop/db-0, volume data"
std::string title_of(const Json& one) {
  return fmt::format("pod {}/{}, volume {}", text_at(one, {"spec", "pod", "namespace"}),
                     text_at(one, {"spec", "pod", "name"}), text_at(one, {"spec", "volume"}));
}

// Why a pod is on no node, as the scheduler says it.
std::string scheduling_problem(const Json& pod) {
  const Json* conditions = json::find(pod, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return "the pod is on no node yet";
  for (const Json& one : *conditions) {
    if (text_at(one, {"type"}) != "PodScheduled" || text_at(one, {"status"}) != "False") continue;
    return "the pod is on no node: " + text_at(one, {"message"});
  }
  return "the pod is on no node yet";
}

}  // namespace

PodVolumeRestoreRun::PodVolumeRestoreRun(const Context& context, const PodVolumeSettings& settings, Json restore,
                                         const std::vector<Json>& pod_volume_backups, progress::ItemReporter& progress,
                                         Logger log)
    : context_(context),
      settings_(settings),
      restore_(std::move(restore)),
      backups_(newest_with_data(pod_volume_backups)),
      progress_(progress),
      log_(std::move(log)),
      timeout_(pod_volume_timeout(restore_, settings)),
      deadline_(context.clock.after(timeout_)),
      agents_(context),
      repositories_(context, settings.resource_timeout),
      watch_(context, api::kPodVolumeRestore, selector_of(restore_), [&progress] { progress.alive(); }) {}

Result<Json> PodVolumeRestoreRun::document(const Json& pod, const Json& backup, const std::stop_token& stop) {
  const k8s::ObjectView view(pod);
  const k8s::ObjectView restore(restore_);
  const std::string volume = text_at(backup, {"spec", "volume"});
  const std::string original = text_at(backup, {"spec", "pod", "namespace"});
  const std::string location = text_at(backup, {"spec", "backupStorageLocation"});
  const std::string type = api::uploader_type(backup);
  // What others have written is opened by the agent alone: the server need not have the program for it.
  std::string repository;
  if (type == settings_.uploader_type) {
    TRY_ASSIGN(repository, "",
               repositories_.ensure({.volume_namespace = original, .location = location, .type = type}, stop));
  }
  TRY_ASSIGN(const std::optional<Json> claim, "", claim_of(context_.client, pod, volume, stop));
  // Velero names the claim of a PodVolumeBackup in this way, and of a PodVolumeRestore not at all.
  Json annotations = Json::object();
  if (claim) annotations[std::string(api::annotation::kPvcName)] = std::string(k8s::ObjectView(*claim).name());
  Json labels = {{std::string(api::label::kRestoreName), k8s::label_safe(restore.name())},
                 {std::string(api::label::kRestoreUid), std::string(restore.uid())},
                 {std::string(api::label::kPodUid), std::string(view.uid())}};
  if (claim) labels[std::string(api::label::kPvcUid)] = std::string(k8s::ObjectView(*claim).uid());
  Json spec = {{"pod",
                {{"kind", "Pod"},
                 {"namespace", std::string(view.name_space())},
                 {"name", std::string(view.name())},
                 {"uid", std::string(view.uid())}}},
               {"volume", volume},
               {"snapshotID", text_at(backup, {"status", "snapshotID"})},
               {"backupStorageLocation", location},
               {"repoIdentifier", repository},
               {"uploaderType", type},
               {"sourceNamespace", original}};
  if (const std::int64_t size = json::int_or(backup, {"status", "progress", "totalBytes"}, 0); size > 0) {
    spec["snapshotSize"] = size;
  }
  if (const Json* config = json::find(restore_, {"spec", "uploaderConfig"})) {
    const bool is_sparse = json::bool_or(*config, {"writeSparseFiles"}, false);
    spec["uploaderSettings"] = {{"WriteSparseFiles", is_sparse ? "true" : "false"}};
    if (const std::int64_t files = json::int_or(*config, {"parallelFilesDownload"}, 0); files > 0) {
      spec["uploaderSettings"]["ParallelFilesDownload"] = std::to_string(files);
    }
  }
  return Json{{"apiVersion", api::kPodVolumeRestore.api_version()},
              {"kind", std::string(api::kPodVolumeRestore.name)},
              {"metadata",
               {{"generateName", fmt::format("{}-", restore.name())},
                {"namespace", context_.name_space},
                {"labels", std::move(labels)},
                {"annotations", std::move(annotations)},
                {"ownerReferences", Json::array({{{"apiVersion", api::kRestore.api_version()},
                                                  {"kind", std::string(api::kRestore.name)},
                                                  {"name", std::string(restore.name())},
                                                  {"uid", std::string(restore.uid())},
                                                  {"controller", true}}})}}},
              {"spec", std::move(spec)}};
}

Status PodVolumeRestoreRun::create(const Json& pod, const Json& backup, const std::stop_token& stop) {
  const kube::Resource restores = context_.objects(api::kPodVolumeRestore);
  const std::string volume = text_at(backup, {"spec", "volume"});
  // An earlier process may have come this far and no further.
  const std::string of_pod =
      fmt::format("{},{}={}", selector_of(restore_), api::label::kPodUid, k8s::ObjectView(pod).uid());
  TRY_ASSIGN(const kube::ObjectList made, "", restores.list({.label_selector = of_pod}, stop));
  const auto known =
      std::ranges::find(made.items, volume, [](const Json& one) { return text_at(one, {"spec", "volume"}); });
  std::string name;
  if (known == made.items.end()) {
    TRY_ASSIGN(const Json wanted, "", document(pod, backup, stop));
    if (stop.stop_requested()) return fail(Code::kCancelled, "the restore was stopped");
    // No stop cuts this off: one that is made and not known of would go on with nobody to end it.
    TRY_ASSIGN(Json created, "make a PodVolumeRestore", restores.within(kPodVolumeMakeTime).create(wanted, {}));
    name = k8s::ObjectView(created).name();
    watch_.made(std::move(created));
  } else {
    name = k8s::ObjectView(*known).name();
  }
  made_.with([&](auto& names) { names.insert(name); });
  return {};
}

Status PodVolumeRestoreRun::begin(const Json& pod, const std::string& original_namespace, const std::stop_token& stop) {
  const std::string name(k8s::ObjectView(pod).name());
  bool has_any = false;
  std::string problems;
  for (const Json& backup : backups_) {
    if (text_at(backup, {"spec", "pod", "namespace"}) != original_namespace) continue;
    if (text_at(backup, {"spec", "pod", "name"}) != name) continue;
    has_any = true;
    const std::string volume = text_at(backup, {"spec", "volume"});
    if (!api::takes_files_back(pod, volume)) {
      log_.warning("The pod has no such volume any more: its data is not restored",
                   {{"pod", name}, {"volume", volume}});
      continue;
    }
    // One that cannot be filled does not keep the others empty.
    const Status created = create(pod, backup, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!created)
      problems += (problems.empty() ? "" : "; ") + fmt::format("volume {}: {}", volume, created.error().message());
  }
  if (!problems.empty()) return fail(Code::kUnavailable, problems);
  if (has_any) return {};
  return fail(Code::kNotFound,
              "the backup has data of its volumes, but none of its PodVolumeBackups is there, so that they stay empty");
}

// Also those that an earlier process has made.
std::set<std::string> PodVolumeRestoreRun::names() const {
  std::set<std::string> names = watch_.names();
  made_.with([&](const auto& made) { names.insert(made.begin(), made.end()); });
  return names;
}

std::string PodVolumeRestoreRun::why_not_begun(const Json& one, const std::stop_token& stop) {
  const kube::Resource pods(context_.client, {"", "v1", "pods"}, text_at(one, {"spec", "pod", "namespace"}));
  const auto pod = pods.get(text_at(one, {"spec", "pod", "name"}), stop);
  if (!pod) return pod.error().code() == Code::kNotFound ? "the pod is gone" : "";
  const std::string node = text_at(*pod, {"spec", "nodeName"});
  if (node.empty()) return scheduling_problem(*pod);
  if (const Status agent = agents_.check(node, stop); !agent) return agent.error().message();
  return "the pod's init container has not begun to wait, or others are before it on node " + node;
}

std::string PodVolumeRestoreRun::explain(const Json& one, const std::stop_token& stop) {
  std::string why;
  if (api::phase_of<TransferPhase>(one) == TransferPhase::kNew) {
    why = why_not_begun(one, stop);
  } else if (const std::string node = api::status_text(one, "node"); !node.empty()) {
    if (const Status agent = agents_.check(node, stop); !agent) why = agent.error().message();
  }
  if (why.empty()) return "";
  progress_.blame(title_of(one) + ": " + why);
  return "waits: " + why;
}

void PodVolumeRestoreRun::cancel() {
  std::set<std::string> open;
  for (const std::string& name : names()) {
    const kube::Object one = watch_.get(name);
    const auto phase = one ? api::phase_of<TransferPhase>(*one) : TransferPhase::kNew;
    if (phase && !api::is_final(*phase)) open.insert(name);
  }
  watch_.cancel(open);
}

std::vector<std::string> PodVolumeRestoreRun::wait(const std::stop_token& stop) {
  if (!watch_.wait_synced(settings_.resource_timeout, stop) && !stop.stop_requested()) {
    return {"restores of pod volumes cannot be listed, so that nobody knows whether they are done"};
  }
  const std::set<std::string> all = names();
  if (!all.empty()) progress_.doing(fmt::format("waiting for {} pod volumes", all.size()));
  const auto why = [this](const Json& one, const std::stop_token& token) { return explain(one, token); };
  const std::set<std::string> late = watch_.wait(all, deadline_, why, stop);
  const bool is_stopped = stop.stop_requested();
  if (!late.empty() && !is_stopped) {
    watch_.cancel(late);
    watch_.wait(late, context_.clock.after(kPodVolumeEndTime), stop);
  }
  std::vector<std::string> problems;
  for (const std::string& name : all) {
    const kube::Object one = watch_.get(name);
    if (!one) {
      problems.push_back("PodVolumeRestore " + name + " was deleted before it had ended");
      continue;
    }
    if (api::phase_of<TransferPhase>(*one) == TransferPhase::kCompleted) continue;
    std::string reason = api::status_text(*one, api::field::kMessage);
    if (late.contains(name)) {
      const std::string in_time =
          is_stopped ? "the restore was stopped before" : "not done within " + format_go_duration(timeout_);
      reason = in_time + (reason.empty() ? "" : ": " + reason);
    }
    if (reason.empty()) reason = "it ended as " + api::status_text(*one, api::field::kPhase);
    problems.push_back(title_of(*one) + ": its data is not restored: " + reason);
  }
  return problems;
}

std::vector<Json> PodVolumeRestoreRun::restores() const {
  std::vector<Json> found;
  for (const std::string& name : names()) {
    if (const kube::Object one = watch_.get(name)) found.push_back(*one);
  }
  return found;
}

}  // namespace landfall::control
