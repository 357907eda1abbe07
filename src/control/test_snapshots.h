#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "control/test_cluster.h"
#include "extension/volume_snapshotter.h"
#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::control {

// For tests: a storage provider whose plugin does as it is told. Volumes on NFS are its own. Outlives its snapshotters.
// Thread-safe.
class FakeStorage {
 public:
  struct Script {
    Status create_snapshot;                                  // an error in place of a snapshot
    Status create_volume;                                    // likewise
    Status volume_id;                                        // likewise
    Status delete_snapshot;                                  // of every one
    std::function<void(const std::string& id)> on_snapshot;  // before the call returns
    std::function<void(const std::string& id)> on_volume;    // likewise
    std::function<void()> on_ask;                            // before it says how far it is
    std::string prefix = "snap-";                            // of the snapshots' IDs
    // What it says when it is asked how far it is; kUnsupported: it has no such service.
    Result<extension::TransferProgress> progress = fail(Code::kUnsupported, "no such service");
  };
  void play(const std::function<void(Script&)>& change) {
    state_.with([&](State& state) { change(state.script); });
  }
  void says(Result<extension::TransferProgress> progress) {
    play([&](Script& script) { script.progress = progress; });
  }
  void says(const std::string& phase, std::int64_t done, std::int64_t total, const std::string& message = {}) {
    says(extension::TransferProgress{.phase = phase,
                                     .message = message,
                                     .total_bytes = total,
                                     .bytes_done = done,
                                     .started = {},
                                     .completed = {},
                                     .plugin_specific = {{"pool", "ssd"}}});
  }

  std::vector<std::string> calls() const {
    return state_.with([](const State& state) { return state.calls; });
  }
  int count(const std::string& call) const {
    int found = 0;
    for (const std::string& one : calls()) found += one.starts_with(call) ? 1 : 0;
    return found;
  }
  std::map<std::string, std::string> tags() const {
    return state_.with([](const State& state) { return state.tags; });
  }
  std::map<std::string, std::string> config() const {
    return state_.with([](const State& state) { return state.config; });
  }
  // How many snapshotters are open.
  int open() const {
    return state_.with([](const State& state) { return state.open; });
  }

  // For TestCluster::serve_snapshotters().
  TestCluster::OpenSnapshotter opener(const std::string& provider = "velero.io/fake") {
    return [this, provider](const std::string& wanted, const location::Config& config,
                            const Logger& log) -> Result<std::unique_ptr<extension::VolumeSnapshotter>> {
      if (wanted != provider) return fail(Code::kUnsupported, "there is no plugin for " + wanted);
      state_.with([&](State& state) { state.config = config; });
      return std::make_unique<Snapshotter>(*this, log);
    };
  }

 private:
  struct State {
    Script script;
    std::vector<std::string> calls;
    std::map<std::string, std::string> tags;
    std::map<std::string, std::string> config;
    int open = 0;
  };

  class Snapshotter final : public extension::VolumeSnapshotter {
   public:
    Snapshotter(FakeStorage& storage, Logger log) : storage_(storage), log_(std::move(log)) {
      storage_.state_.with([](State& state) { ++state.open; });
    }
    ~Snapshotter() override {
      storage_.state_.with([](State& state) { --state.open; });
    }
    Snapshotter(const Snapshotter&) = delete;
    Snapshotter& operator=(const Snapshotter&) = delete;

    Result<std::string> volume_id(const json::Json& volume, const std::stop_token& /*stop*/) override {
      TRY("", storage_.script().volume_id);
      if (!json::has(volume, {"spec", "nfs"})) return std::string();
      return "vol-" + std::string(k8s::ObjectView(volume).name());
    }
    Status set_volume_id(json::Json& volume, const std::string& id, const std::stop_token& /*stop*/) override {
      return json::set_at(volume, {"spec", "nfs", "path"}, "/" + id);
    }
    Result<extension::VolumeTraits> volume_traits(const std::string& id, const std::string& zone,
                                                  const std::stop_token& /*stop*/) override {
      storage_.called("traits " + id + " " + zone);
      return extension::VolumeTraits{.type = "fast", .iops = 300};
    }
    Result<std::string> create_snapshot(const std::string& id, const std::string& zone,
                                        const std::map<std::string, std::string>& tags,
                                        const std::stop_token& /*stop*/) override {
      storage_.called("snapshot " + id + " " + zone);
      log_.info("the plugin takes a snapshot of " + id);
      storage_.state_.with([&](State& state) { state.tags = tags; });
      const Script script = storage_.script();
      TRY("", script.create_snapshot);
      const std::string snapshot = script.prefix + id;
      if (script.on_snapshot) script.on_snapshot(snapshot);
      return snapshot;
    }
    Result<std::string> create_volume(const std::string& snapshot, const extension::VolumeTraits& traits,
                                      const std::string& zone, const std::stop_token& /*stop*/) override {
      log_.info("the plugin makes a volume of " + snapshot);
      storage_.called("volume " + snapshot + " " + traits.type + " " + zone + " " +
                      std::to_string(traits.iops.value_or(0)));
      const Script script = storage_.script();
      TRY("", script.create_volume);
      if (script.on_volume) script.on_volume("new-" + snapshot);
      return "new-" + snapshot;
    }
    Status delete_snapshot(const std::string& snapshot, const std::stop_token& /*stop*/) override {
      storage_.called("delete " + snapshot);
      return storage_.script().delete_snapshot;
    }
    Result<extension::TransferProgress> snapshot_progress(const std::string& snapshot,
                                                          const std::stop_token& /*stop*/) override {
      storage_.called("ask " + snapshot);
      return answer();
    }
    Result<extension::TransferProgress> volume_progress(const std::string& id, const std::string& snapshot,
                                                        const std::stop_token& /*stop*/) override {
      storage_.called("ask " + id + " of " + snapshot);
      return answer();
    }
    Status cancel_snapshot(const std::string& snapshot, const std::stop_token& /*stop*/) override {
      storage_.called("cancel " + snapshot);
      return {};
    }
    Status cancel_volume(const std::string& id, const std::string& snapshot, const std::stop_token& /*stop*/) override {
      storage_.called("cancel " + id + " of " + snapshot);
      return {};
    }

   private:
    Result<extension::TransferProgress> answer() {
      const Script script = storage_.script();
      if (script.on_ask) script.on_ask();
      return script.progress;
    }

    FakeStorage& storage_;
    const Logger log_;  // as a plugin's lines come
  };

  void called(const std::string& call) {
    state_.with([&](State& state) { state.calls.push_back(call); });
  }
  Script script() const {
    return state_.with([](const State& state) { return state.script; });
  }

  Guarded<State> state_;
};

// A VolumeSnapshotLocation of the fake.
inline json::Json put_snapshot_location(const TestCluster& cluster, const std::string& name,
                                        const json::Json& more = json::Json::object()) {
  json::Json spec = {{"provider", "fake"}, {"config", {{"region", "here"}}}};
  spec.update(more);
  return cluster.create(api::kVolumeSnapshotLocation, {{"metadata", {{"name", name}}}, {"spec", spec}});
}

// A VolumePluginBackup as a plugin makes it.
inline json::Json put_plugin_backup(const TestCluster& cluster, const std::string& name, const std::string& backup,
                                    const json::Json& status, const std::string& plugin = "velero.io/fake") {
  return cluster.create(api::kVolumePluginBackup,
                        {{"metadata", {{"name", name}}},
                         {"spec", {{"volume", "pv-books"}, {"backup", backup}, {"plugin", plugin}}},
                         {"status", status}});
}
inline json::Json put_plugin_restore(const TestCluster& cluster, const std::string& snapshot, const std::string& backup,
                                     const json::Json& status) {
  return cluster.create(api::kVolumePluginRestore,
                        {{"metadata", {{"generateName", "vpr-"}}},
                         {"spec", {{"snapshotID", snapshot}, {"backup", backup}, {"plugin", "velero.io/fake"}}},
                         {"status", status}});
}
inline void patch_status(const TestCluster& cluster, const api::Kind& kind, const std::string& name,
                         const json::Json& status) {
  TestCluster::must(cluster.objects(kind).patch(name, kube::PatchType::kMerge, {{"status", status}}, {}));
}

}  // namespace landfall::control
