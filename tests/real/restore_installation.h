#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/names.h"
#include "api/phases.h"
#include "api/status.h"
#include "archive/archive_writer.h"
#include "base/random.h"
#include "bucket/backup_store.h"
#include "extension/object_source.h"
#include "io/spool_file.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/discovery.h"
#include "kube/resource.h"
#include "kube/watch.h"
#include "real/bench_objects.h"
#include "real/real_components.h"
#include "real/restore_load.h"
#include "real/server_process.h"
#include "store/filesystem_store.h"
#include "stories/patience.h"
#include "stories/sweep.h"
#include "testkit/temp_dir.h"

namespace landfall {

inline constexpr const char* kRestoreName = "r";
inline constexpr const char* kRestoredBackup = "b";

inline bool has_restore_ended(const json::Json& restore) {
  const auto phase = api::phase_of<api::RestorePhase>(restore);
  return phase && is_final(*phase);
}

// A server in a namespace of its own, or two that share a lease, and a location in a directory that holds one backup of
// a load. Everything throws where it cannot be done.
class RestoreInstallation {
 public:
  static constexpr std::size_t kReplicas = 2;

  explicit RestoreInstallation(kube::Client& client)
      : client_(client), namespace_(kube::fresh_namespace(client)), load_("w" + name_suffix(system_random(), 7)) {
    std::filesystem::create_directories(folder());
    const std::map<std::string, std::string> config = {{"path", directory_.path()}, {"bucket", "bucket"}};
    store_ = stories::must(store::open_filesystem(config, Logger()));
    bucket_ = std::make_unique<bucket::BackupStore>(*store_, stories::must(bucket::Layout::create("")));
    create(api::kBackupStorageLocation, kLocation,
           {{"spec",
             {{"provider", "filesystem"},
              {"objectStorage", {{"bucket", "bucket"}}},
              {"config", {{"path", directory_.path().string()}}}}}});
    make_backup();
    load_.make_existing(client_);
  }
  RestoreInstallation(const RestoreInstallation&) = delete;
  RestoreInstallation& operator=(const RestoreInstallation&) = delete;

  // Returns when the location is available.
  void start(std::size_t replica = 0) {
    servers_.at(replica) = std::make_unique<ServerProcess>(
        std::vector<std::string>{"--namespace", namespace_, "--kubeconfig", real_component("LANDFALL_REAL_KUBECONFIG"),
                                 "--metrics-address", "127.0.0.1:0", "--artifacts-address", "127.0.0.1:0"},
        std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"},
                                           {"POD_NAME", identity(replica)},
                                           {"POD_IP", "127.0.0.1"},
                                           {"TMPDIR", directory_.path()}},
        output(replica));
    const bool is_there = stories::soon([&] {
      if (!is_running(replica)) throw std::runtime_error("the server has ended: " + last_words());
      return api::status_text(get(api::kBackupStorageLocation, kLocation), api::field::kPhase) == "Available";
    });
    if (!is_there) throw std::runtime_error("the location does not become available");
  }
  void kill(std::size_t replica = 0) { servers_.at(replica)->kill(); }
  bool stop(std::size_t replica = 0) { return servers_.at(replica)->stop(); }
  bool is_running(std::size_t replica = 0) const { return servers_.at(replica)->is_running(); }
  static std::string identity(std::size_t replica) { return "landfall-" + std::to_string(replica); }
  std::string leader() const {
    const kube::Resource leases(client_, {"coordination.k8s.io", "v1", "leases"}, namespace_);
    return json::string_or(stories::must(leases.get("landfall-server", {})), {"spec", "holderIdentity"}, "");
  }

  // The folders of the Restore's files are there from then on, so that they can be watched.
  json::Json create_restore(const std::string& existing_policy) {
    json::Json spec = load_.spec(existing_policy);
    spec["backupName"] = kRestoredBackup;
    json::Json made = create(api::kRestore, kRestoreName, {{"spec", std::move(spec)}});
    journal_ = folder() / "journal" / std::string(k8s::ObjectView(made).uid());
    std::filesystem::create_directories(journal_);
    return made;
  }
  json::Json restore() const { return get(api::kRestore, kRestoreName); }

  // The Restore as soon as it is as wanted, or as it ended. Every state since `seen` is looked at.
  json::Json await(const json::Json& seen, const std::function<bool(const json::Json&)>& wanted) const {
    std::optional<json::Json> found;
    const auto on_event = [&](kube::WatchEventType type, json::Json& restore) -> Result<bool> {
      if (type != kube::WatchEventType::kBookmark && (wanted(restore) || has_restore_ended(restore))) {
        found = std::move(restore);
      }
      return !found;
    };
    const kube::WatchOptions options{.resource_version = std::string(k8s::ObjectView(seen).resource_version()),
                                     .server_timeout = std::chrono::seconds(90)};
    stories::must(kube::watch(objects(api::kRestore), options, on_event, {}));
    if (!found) throw std::runtime_error("the restore does not go on: " + restore().dump() + "\n" + last_words());
    return *found;
  }
  json::Json await_end(const json::Json& seen) const {
    return has_restore_ended(seen) ? seen : await(seen, [](const json::Json&) { return false; });
  }

  // Takes away what is in the cluster; the servers are gone then. Names are never used again, so that it need not be.
  void sweep() {
    for (auto& server : servers_) server.reset();
    load_.sweep(client_);
    stories::sweep_namespace(client_, stories::must(kube::discover(client_, {})), namespace_);
  }

  kube::Client& client() const { return client_; }
  const RestoreLoad& load() const { return load_; }
  bucket::BackupStore& bucket() const { return *bucket_; }
  std::filesystem::path folder() const { return directory_.path() / "bucket" / "restores" / kRestoreName; }
  // Of the records, once the Restore is created.
  const std::filesystem::path& journal() const { return journal_; }

  std::string output_of(std::size_t replica) const {
    std::ifstream file(output(replica));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // What the servers said last.
  std::string last_words() const {
    std::string words;
    for (std::size_t replica = 0; replica < kReplicas; ++replica) {
      const std::string text = output_of(replica);
      constexpr std::size_t kMost = 12'000;
      words += text.size() > kMost ? text.substr(text.size() - kMost) : text;
    }
    return words;
  }

 private:
  static constexpr const char* kLocation = "default";

  std::string output(std::size_t replica) const { return directory_.path() / (identity(replica) + ".log"); }
  kube::Resource objects(const api::Kind& kind) const { return {client_, kind.resource(), namespace_}; }
  json::Json get(const api::Kind& kind, const std::string& name) const {
    return stories::must(objects(kind).get(name, {}));
  }
  json::Json create(const api::Kind& kind, const std::string& name, json::Json object) const {
    object["apiVersion"] = kind.api_version();
    object["kind"] = std::string(kind.name);
    object["metadata"]["name"] = name;
    return stories::must(objects(kind).create(object, {}));
  }

  // In the bucket and in the cluster.
  void make_backup() const {
    const auto items = load_.items();
    io::SpoolFile contents = stories::must(io::SpoolFile::create(directory_.path()));
    archive::ArchiveWriter writer(contents, system_clock().wall_now());
    for (const auto& [resource, object] : items) {
      const k8s::ObjectView view(object);
      stories::must(writer.add({.resource = k8s::parse_group_resource(resource),
                                .version = "v1",
                                .namespace_name = std::string(view.name_space()),
                                .name = std::string(view.name())},
                               object.dump()));
    }
    stories::must(writer.close());
    stories::must(contents.close());
    const json::Json status = {
        {"phase", "Completed"},
        {"version", 1},
        {"formatVersion", "1.1.0"},
        {"progress", {{"totalItems", items.size()}, {"itemsBackedUp", items.size()}}},
    };
    const json::Json backup =
        create(api::kBackup, kRestoredBackup, {{"spec", {{"storageLocation", kLocation}}}, {"status", status}});
    const extension::SpoolSource source(contents);
    stories::must(bucket_->create(kRestoredBackup, backup, {{bucket::BackupArtifact::kContents, source}}, {}));
  }

  kube::Client& client_;
  const std::string namespace_;
  const RestoreLoad load_;
  const testkit::TempDir directory_;
  std::filesystem::path journal_;
  std::unique_ptr<extension::ObjectStore> store_;
  std::unique_ptr<bucket::BackupStore> bucket_;
  std::array<std::unique_ptr<ServerProcess>, kReplicas> servers_;
};

}  // namespace landfall
