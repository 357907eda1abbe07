#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/random.h"
#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "sandbox/server.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/world.h"
#include "testkit/temp_dir.h"

namespace landfall::sandbox {

// A sandbox with its world for a test, on a free port and without TLS.
class WorldTest : public ::testing::Test {
 protected:
  void begin(bool workloads) {
    auto started = Sandbox::start({.tls = false}, system_clock(), random_, Logger());
    ASSERT_TRUE(started) << started.error().message();
    sandbox_ = *std::move(started);
    start_world(workloads);
  }
  void start_world(bool workloads) {
    world_ = std::make_unique<World>(*sandbox_, WorldOptions{.workloads = workloads, .data = folder_.path()},
                                     system_clock(), Logger());
    world_->start();
  }
  void TearDown() override {
    world_.reset();
    if (sandbox_) sandbox_->stop();
  }

  Cluster cluster() { return {sandbox_->api(), "test"}; }
  KindPtr kind_of(const json::Json& object) {
    const k8s::GroupVersionKind id = k8s::ObjectView(object).group_version_kind();
    return sandbox_->registry().kinds()->find_kind(id.group, id.version, id.kind);
  }

  // Creates the documents of a YAML text, waiting for kinds that are not served yet.
  void apply(std::string_view yaml) {
    const auto documents = json::parse_yaml_documents(yaml);
    ASSERT_TRUE(documents) << documents.error().message();
    for (const json::Json& document : *documents) {
      ASSERT_TRUE(eventually([&] { return kind_of(document) != nullptr; })) << json::dump(document);
      const auto made = sandbox_->api().create(*kind_of(document), k8s::ObjectView(document).name_space(), document);
      ASSERT_TRUE(made) << made.error().message();
    }
  }

  // Looks again every few milliseconds: what is waited for may be in the store, in the registry or on the disk.
  bool eventually(const std::function<bool()>& holds) {
    // Controllers that failed look again after up to 16 seconds.
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    Monitor<bool> never;
    while (!holds()) {
      if (system_clock().now() > deadline) return false;
      never.wait_until(system_clock(), {}, system_clock().after(std::chrono::milliseconds(10)),
                       [](bool) { return false; });
    }
    return true;
  }
  bool is_there(const KindInfo& kind, const std::string& name_space, const std::string& name) {
    return cluster().get(kind, name_space, name).has_value();
  }
  bool becomes(const KindInfo& kind, const std::string& name_space, const std::string& name,
               const std::function<bool(const json::Json&)>& holds) {
    return eventually([&] {
      const auto object = cluster().get(kind, name_space, name);
      return object && holds(*object);
    });
  }
  bool goes(const KindInfo& kind, const std::string& name_space, const std::string& name) {
    return eventually([&] { return !is_there(kind, name_space, name); });
  }
  std::string phase(const KindInfo& kind, const std::string& name_space, const std::string& name) {
    const auto object = cluster().get(kind, name_space, name);
    return object ? json::string_or(*object, {"status", "phase"}, "") : "gone";
  }

  testkit::TempDir folder_;
  SeededRandom random_{1};
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<World> world_;
};

}  // namespace landfall::sandbox
