#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "control/backup_repository_reconciler.h"
#include "control/test_cluster.h"
#include "control/uploader_repository_manager.h"
#include "extension/uploader.h"
#include "json/access.h"

namespace landfall::control {

// For tests: an uploader that does as it is told. Thread-safe.
class ScriptedUploader final : public extension::Uploader {
 public:
  explicit ScriptedUploader(std::string type = "restic", bool can_upload = true)
      : type_(std::move(type)), can_upload_(can_upload) {}

  std::string_view type() const override { return type_; }
  std::string address(const extension::RepositoryAccess& repository) const override {
    return can_upload_ ? "here:" + repository.path : "";
  }
  bool can_upload() const override { return can_upload_; }
  Status open(const extension::RepositoryAccess& repository, extension::IfMissing if_missing,
              const std::stop_token& /*stop*/) override {
    return called(std::string(if_missing == extension::IfMissing::kCreate ? "make " : "open ") + repository.path);
  }
  Result<extension::UploadedVolume> upload(const extension::RepositoryAccess& /*repository*/,
                                           const extension::UploadRequest& /*request*/,
                                           progress::ByteReporter& /*reporter*/,
                                           const std::stop_token& /*stop*/) override {
    return fail(Code::kUnsupported, "node agents do that");
  }
  Result<ByteCount> download(const extension::RepositoryAccess& /*repository*/,
                             const extension::DownloadRequest& /*request*/, progress::ByteReporter& /*reporter*/,
                             const std::stop_token& /*stop*/) override {
    return fail(Code::kUnsupported, "node agents do that");
  }
  Status forget(const extension::RepositoryAccess& repository, const std::vector<std::string>& snapshots,
                const std::stop_token& /*stop*/) override {
    std::string call = "forget " + repository.path + ":";
    for (const std::string& one : snapshots) call += " " + one;
    return called(call);
  }
  Status maintain(const extension::RepositoryAccess& repository, const std::stop_token& /*stop*/) override {
    return called("maintain " + repository.path);
  }

  void answer(Status status) {
    state_.with([&](State& state) { state.answer = std::move(status); });
  }
  std::vector<std::string> calls() const {
    return state_.with([](const State& state) { return state.calls; });
  }

 private:
  struct State {
    std::vector<std::string> calls;
    Status answer;
  };
  Status called(const std::string& call) {
    return state_.with([&](State& state) {
      state.calls.push_back(call);
      return state.answer;
    });
  }

  const std::string type_;
  const bool can_upload_;
  Guarded<State> state_;
};

inline FindRepository find_anywhere() {
  return [](const json::Json& location, std::string_view type, const std::string& volume_namespace,
            const std::stop_token&) -> Result<extension::RepositoryAccess> {
    return extension::RepositoryAccess{.path = location["metadata"]["name"].get<std::string>() + "/" +
                                               std::string(type) + "/" + volume_namespace};
  };
}

// For tests: calls a function again and again in a thread of its own.
class Player {
 public:
  explicit Player(std::function<void()> turn)
      : thread_([turn = std::move(turn)](const std::stop_token& stop) {
          do turn();
          while (system_clock().sleep_for(std::chrono::milliseconds(3), stop));
        }) {}

 private:
  std::jthread thread_;
};

// For tests: all node agents. Of each object that is new it asks what becomes of it: a merge patch, or null to leave it
// for now. One that is told to end is Canceled, unless the agents are dead.
class PlayedAgents {
 public:
  using Play = std::function<json::Json(const json::Json& object)>;
  PlayedAgents(const TestCluster& cluster, const api::Kind& kind, Play play)
      : objects_(cluster.objects(kind)), play_(std::move(play)), player_([this] { turn(); }) {}

  static json::Json completed(const std::string& snapshot, const std::string& at = "2030-01-01T00:00:09Z") {
    return {{"status",
             {{"phase", "Completed"},
              {"snapshotID", snapshot},
              {"startTimestamp", "2030-01-01T00:00:01Z"},
              {"completionTimestamp", at},
              {"message", nullptr},
              {"incrementalBytes", 7},
              {"progress", {{"totalBytes", 100}, {"bytesDone", 100}}}}}};
  }
  static json::Json failed(const std::string& why) { return {{"status", {{"phase", "Failed"}, {"message", why}}}}; }

 private:
  void turn() {
    const auto all = objects_.list({}, {});
    if (!all) return;
    for (const json::Json& object : all->items) {
      const std::string phase = json::string_or(object, {"status", "phase"}, "");
      json::Json patch;
      if (phase.empty() || phase == "New") patch = play_(object);
      if (patch.is_null() && json::bool_or(object, {"spec", "cancel"}, false) &&
          (phase.empty() || phase == "New" || phase == "InProgress")) {
        patch = {{"status", {{"phase", "Canceled"}, {"message", "canceled"}}}};
      }
      if (patch.is_null()) continue;
      static_cast<void>(objects_.patch(object["metadata"]["name"], kube::PatchType::kMerge, patch, {}));
    }
  }

  const kube::Resource objects_;
  const Play play_;
  Player player_;
};

// For tests: the controller of BackupRepositories, which works on those that are new.
class PlayedRepositories {
 public:
  PlayedRepositories(const TestCluster& cluster, std::vector<extension::Uploader*> uploaders)
      : objects_(cluster.objects(api::kBackupRepository)),
        managers_(managers_of(uploaders)),
        reconciler_(cluster.context(), {}, pointers(managers_)),
        player_([this] { turn(); }) {}

 private:
  using Managers = std::vector<std::unique_ptr<UploaderRepositoryManager>>;
  static Managers managers_of(const std::vector<extension::Uploader*>& uploaders) {
    Managers managers;
    for (extension::Uploader* one : uploaders) {
      managers.push_back(std::make_unique<UploaderRepositoryManager>(*one, find_anywhere()));
    }
    return managers;
  }
  static std::vector<RepositoryManager*> pointers(const Managers& managers) {
    std::vector<RepositoryManager*> all;
    for (const auto& one : managers) all.push_back(one.get());
    return all;
  }
  void turn() {
    const auto all = objects_.list({}, {});
    if (!all) return;
    for (const json::Json& one : all->items) {
      const std::string phase = json::string_or(one, {"status", "phase"}, "");
      if (!phase.empty() && phase != "New") continue;
      static_cast<void>(reconciler_.reconcile({"velero", one["metadata"]["name"]}, {}));
    }
  }

  const kube::Resource objects_;
  const Managers managers_;
  BackupRepositoryReconciler reconciler_;
  Player player_;
};

inline kube::Resource pods_in(const TestCluster& cluster, const std::string& name_space) {
  return {cluster.client(), {"", "v1", "pods"}, name_space};
}

// A pod with its status, as if a kubelet had written it.
inline json::Json put_pod(const TestCluster& cluster, const std::string& name_space, const json::Json& pod,
                          const json::Json& status = {{"phase", "Running"}}) {
  const json::Json made = cluster.create({"", "v1", "pods"}, name_space, pod);
  return TestCluster::must(pods_in(cluster, name_space)
                               .patch(made["metadata"]["name"], kube::PatchType::kMerge, {{"status", status}}, {},
                                      {.subresource = "status"}));
}

// Of two who remove it at once, this and the world, the second is told that there is none.
inline void remove_pod(const TestCluster& cluster, const std::string& name_space, const std::string& name) {
  const auto removed = pods_in(cluster, name_space).remove(name, {}, {.grace_period_seconds = 0});
  if (!removed && removed.error().code() != Code::kNotFound) throw std::runtime_error(removed.error().message());
}

inline void put_agent(const TestCluster& cluster, const std::string& node, const std::string& phase = "Running") {
  put_pod(cluster, "velero",
          {{"metadata", {{"name", "node-agent-" + node}, {"labels", {{"role", "node-agent"}}}}},
           {"spec", {{"nodeName", node}, {"containers", {{{"name", "node-agent"}, {"image", "landfall"}}}}}}},
          {{"phase", phase}});
}

// With volumes that its container mounts: {"name": …, "emptyDir": …}
inline json::Json pod_with(const std::string& name, const json::Json& volumes,
                           const json::Json& annotations = json::Json::object()) {
  json::Json mounts = json::Json::array();
  for (const json::Json& volume : volumes) {
    mounts.push_back({{"name", volume["name"]}, {"mountPath", "/" + volume["name"].get<std::string>()}});
  }
  return {{"metadata", {{"name", name}, {"annotations", annotations}}},
          {"spec",
           {{"nodeName", "n1"},
            {"containers", json::Json::array({{{"name", "c"}, {"image", "busybox"}, {"volumeMounts", mounts}}})},
            {"volumes", volumes}}}};
}
inline json::Json scratch(const std::string& name) { return {{"name", name}, {"emptyDir", json::Json::object()}}; }
inline json::Json claimed(const std::string& name, const std::string& claim) {
  return {{"name", name}, {"persistentVolumeClaim", {{"claimName", claim}}}};
}

// A claim with its volume, `pv-CLAIM`.
inline json::Json put_claim(const TestCluster& cluster, const std::string& name_space, const std::string& claim,
                            const json::Json& source = {{"nfs", {{"server", "s"}, {"path", "/"}}}}) {
  json::Json volume = {{"capacity", {{"storage", "1Gi"}}},
                       {"accessModes", {"ReadWriteMany"}},
                       {"persistentVolumeReclaimPolicy", "Retain"},
                       {"claimRef", {{"namespace", name_space}, {"name", claim}}}};
  volume.update(source);
  cluster.create({"", "v1", "persistentvolumes"}, "",
                 {{"metadata", {{"name", "pv-" + claim}, {"labels", {{"tier", "gold"}}}}}, {"spec", volume}});
  const k8s::GroupVersionResource claims{"", "v1", "persistentvolumeclaims"};
  cluster.create(claims, name_space,
                 {{"metadata", {{"name", claim}}},
                  {"spec",
                   {{"accessModes", {"ReadWriteMany"}},
                    {"volumeName", "pv-" + claim},
                    {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  return TestCluster::must(
      kube::Resource(cluster.client(), claims, name_space)
          .patch(claim, kube::PatchType::kMerge, {{"status", {{"phase", "Bound"}}}}, {}, {.subresource = "status"}));
}

}  // namespace landfall::control
