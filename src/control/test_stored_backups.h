#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bucket/artifact.h"
#include "control/test_cluster.h"
#include "json/json.h"

namespace landfall::control {

// For tests: the files in the bucket of a TestCluster, all of whose kinds are served once this is there.
class StoredBackups {
 public:
  explicit StoredBackups(const TestCluster& cluster) : root_(cluster.bucket()) {
    for (const api::Kind& kind : api::kAllKinds) {
      if (cluster.has(kind)) await_served(cluster, kind);
    }
  }

  // Everything that Velero wrote into one of the buckets of tests/data.
  void load(const std::string& tree) const {
    std::filesystem::copy(std::string(LANDFALL_SOURCE_DIR) + "/tests/data/" + tree, root_,
                          std::filesystem::copy_options::recursive);
  }
  void write(const std::string& key, std::string_view bytes) const {
    std::filesystem::create_directories((root_ / key).parent_path());
    std::ofstream(root_ / key, std::ios::binary) << bytes;
  }
  void write_json(const std::string& key, const json::Json& document, bucket::Form form = bucket::Form::kJson) const {
    write(key, bucket::encode(document, form));
  }
  // A backup without any other file.
  void write_backup(const json::Json& backup) const {
    write_json("backups/" + backup["metadata"]["name"].get<std::string>() + "/velero-backup.json", backup);
  }
  void remove(const std::string& key) const { std::filesystem::remove_all(root_ / key); }
  bool has(const std::string& key) const { return std::filesystem::exists(root_ / key); }
  // All files, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      if (entry.is_regular_file()) files.push_back(std::filesystem::relative(entry.path(), root_));
    }
    std::ranges::sort(files);
    return files;
  }

 private:
  // Definitions are there from the start, but served only in a moment.
  static void await_served(const TestCluster& cluster, const api::Kind& kind) {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (!cluster.objects(kind).list({}, {})) {
      if (system_clock().now() > deadline) throw std::runtime_error(std::string(kind.name) + " is not served");
      system_clock().sleep_for(std::chrono::milliseconds(10), {});
    }
  }

  std::filesystem::path root_;
};

inline json::Json stored_backup(const std::string& name, const std::string& phase = "Completed") {
  return {{"apiVersion", "velero.io/v1"},
          {"kind", "Backup"},
          {"metadata", {{"name", name}, {"namespace", "elsewhere"}}},
          {"spec", {{"storageLocation", "another"}}},
          {"status", {{"phase", phase}, {"startTimestamp", "2029-12-31T03:00:00Z"}}}};
}

inline Context with_clock(TestCluster& cluster, Clock& clock, const Logger& log = Logger()) {
  const Context& context = cluster.context();
  return {.client = context.client,
          .name_space = context.name_space,
          .clock = clock,
          .random = context.random,
          .log = log,
          .locations = context.locations,
          .running = cluster.running(),
          .metrics = cluster.metrics()};
}

// The names of all objects of a kind.
inline std::vector<std::string> names_of(const TestCluster& cluster, const api::Kind& kind) {
  std::vector<std::string> names;
  for (const json::Json& object : TestCluster::must(cluster.objects(kind).list({}, {})).items) {
    names.push_back(object["metadata"]["name"]);
  }
  return names;
}

inline void patch(const TestCluster& cluster, const api::Kind& kind, const std::string& name, const json::Json& patch) {
  TestCluster::must(cluster.objects(kind).patch(name, kube::PatchType::kMerge, patch, {}));
}

}  // namespace landfall::control
