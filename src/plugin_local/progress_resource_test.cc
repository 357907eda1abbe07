#include "plugin_local/progress_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/guarded.h"
#include "base/manual_clock.h"
#include "json/json.h"
#include "plugin_local/task_lock.h"
#include "plugin_local/test_snapshotter.h"
#include "plugin_local/worker.h"
#include "testkit/scripted_server.h"

namespace landfall::plugin_local {
namespace {

using json::Json;
using testing::HasSubstr;

// An API server that keeps whatever is created and merged.
class Objects {
 public:
  std::string answer(const testkit::ScriptedRequest& request) {
    const Json body = Json::parse(request.body, nullptr, false);
    const std::string path = request.target.substr(0, request.target.find('?'));
    return state_.with([&](State& state) {
      if (state.refuses) return testkit::reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden"})");
      if (request.method == "POST") {
        const std::string name = body["metadata"]["name"];
        if (state.objects.contains(path + "/" + name)) {
          return testkit::reply(409, R"({"kind":"Status","code":409,"reason":"AlreadyExists"})");
        }
        state.objects[path + "/" + name] = body;
        return testkit::reply(201, body.dump());
      }
      const auto found = state.objects.find(path);
      if (found == state.objects.end())
        return testkit::reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
      if (request.method == "PATCH") {
        found->second.merge_patch(body);
        ++state.patches;
      }
      return testkit::reply(200, found->second.dump());
    });
  }
  std::map<std::string, Json> all() const {
    return state_.with([](const State& state) { return state.objects; });
  }
  void put(const std::string& path, const Json& object) {
    state_.with([&](State& state) { state.objects[path] = object; });
  }
  void refuse() {
    state_.with([](State& state) { state.refuses = true; });
  }

 private:
  struct State {
    std::map<std::string, Json> objects;
    int patches = 0;
    bool refuses = false;
  };
  Guarded<State> state_;
};

const std::string kBackups = "/apis/velero.io/v1/namespaces/backups/volumepluginbackups/";
const std::string kRestores = "/apis/velero.io/v1/namespaces/backups/volumepluginrestores";

// Nobody waits: time is over as soon as somebody wants to.
class HastyClock final : public Clock {
 public:
  WallTime wall_now() const override { return clock_.wall_now(); }
  SteadyTime now() const override { return clock_.now(); }
  bool wait_until(std::unique_lock<std::mutex>& /*lock*/, std::condition_variable_any& /*changed*/,
                  const std::stop_token& /*stop*/, SteadyTime deadline, const std::function<bool()>& ready) override {
    if (!ready()) clock_.advance(deadline - now());
    return ready();
  }

 private:
  ManualClock clock_;
};

class ProgressResources : public testing::Test {
 protected:
  Environment environment() {
    kubeconfig_.write("config", R"({"apiVersion":"v1","kind":"Config","current-context":"c",
      "clusters":[{"name":"c","cluster":{"server":")" +
                                    server_.url("") + R"("}}],
      "users":[{"name":"c","user":{"token":"t"}}],
      "contexts":[{"name":"c","context":{"cluster":"c","user":"c"}}]})");
    return Environment({{"KUBECONFIG", kubeconfig_.path() / "config"}, {"VELERO_NAMESPACE", "backups"}});
  }
  Task snapshot(ProgressWay way) {
    Task task{.kind = TaskKind::kSnapshot, .id = "local-1", .volume_id = test_.volume()};
    task.tags = {{"velero.io/backup", "nightly"}, {"velero.io/pv", "pv-1"}};
    task.settings.progress = way;
    return registered(task);
  }
  Task registered(const Task& task) {
    fs::create_directories(test_.layout().folder(task.kind, task.id));
    EXPECT_TRUE(save_task(test_.layout(), task));
    return task;
  }
  Task done(TaskKind kind, const std::string& id) {
    const Status done = do_task(test_.layout(), kind, id, environment(), system_clock());
    EXPECT_TRUE(done) << done.error().message();
    return test_.state(kind, id);
  }

  testkit::TempDir kubeconfig_;
  TestSnapshotter test_;
  Objects objects_;
  testkit::ScriptedServer server_{testkit::ScriptedServer::answering(
      [this](const testkit::ScriptedRequest& request) { return objects_.answer(request); })};
};

TEST_F(ProgressResources, AreWrittenByTheWorkerItself) {
  write_bytes(test_.volume() / "a", std::string(1000, 'a'));
  snapshot(ProgressWay::kResources);
  const Task task = done(TaskKind::kSnapshot, "local-1");
  EXPECT_EQ(task.phase, kCompleted);
  EXPECT_TRUE(task.is_reported);
  EXPECT_EQ(task.resource, "local-1");
  const auto all = objects_.all();
  ASSERT_TRUE(all.contains(kBackups + "local-1"));
  const Json& object = all.at(kBackups + "local-1");
  EXPECT_EQ(object["kind"], "VolumePluginBackup");
  EXPECT_EQ(object["metadata"]["labels"]["velero.io/backup-name"], "nightly");
  EXPECT_EQ(object["spec"]["backup"], "nightly");
  EXPECT_EQ(object["spec"]["volume"], "pv-1");
  EXPECT_EQ(object["spec"]["plugin"], "landfall.dev/local");
  EXPECT_EQ(object["spec"]["pluginSpecific"]["incrementalBytes"], "1000");
  EXPECT_EQ(object["status"]["phase"], "Completed");
  EXPECT_EQ(object["status"]["snapshotID"], "local-1");
  EXPECT_EQ(object["status"]["progress"], (Json{{"totalBytes", 1000}, {"bytesDone", 1000}}));
  EXPECT_TRUE(object["status"].contains("startTimestamp") && object["status"].contains("completionTimestamp"));

  Task volume{.kind = TaskKind::kVolume, .id = "local-2"};
  volume.volume_id = (test_.top() / "local-2").string();
  volume.snapshot_id = "local-1";
  volume.tags = task.tags;
  volume.settings = task.settings;
  registered(volume);
  EXPECT_EQ(done(TaskKind::kVolume, "local-2").phase, kCompleted);
  const auto now = objects_.all();
  ASSERT_TRUE(now.contains(kRestores + "/local-2"));
  const Json& restore = now.at(kRestores + "/local-2");
  EXPECT_EQ(restore["spec"]["snapshotID"], "local-1");
  EXPECT_EQ(restore["spec"]["backup"], "nightly");
  EXPECT_EQ(restore["status"]["volumeID"], volume.volume_id);
  EXPECT_EQ(restore["status"]["phase"], "Completed");
}

TEST_F(ProgressResources, TellOfFailuresToo) {
  Task task = snapshot(ProgressWay::kBoth);
  task.volume_id = "/nowhere/at/all";
  registered(task);
  EXPECT_EQ(done(TaskKind::kSnapshot, "local-1").phase, kFailed);
  const Json object = objects_.all().at(kBackups + "local-1");
  EXPECT_EQ(object["status"]["phase"], "Failed");
  EXPECT_THAT(object["status"]["message"], HasSubstr("/nowhere/at/all"));
  EXPECT_TRUE(object["status"].contains("completionTimestamp"));
}

TEST_F(ProgressResources, OneThatTheServerHasMadeAlreadyIsGoneOnWith) {
  const Json annotations = {{"landfall.dev/written-by-server", "true"}, {"kept", "yes"}};
  objects_.put(kBackups + "local-1",
               {{"metadata", {{"name", "local-1"}, {"labels", {{"kept", "yes"}}}, {"annotations", annotations}}}});
  write_bytes(test_.volume() / "a", "a");
  snapshot(ProgressWay::kAuto);
  EXPECT_EQ(done(TaskKind::kSnapshot, "local-1").phase, kCompleted);
  const Json object = objects_.all().at(kBackups + "local-1");
  EXPECT_EQ(object["status"]["phase"], "Completed");
  EXPECT_EQ(object["metadata"]["labels"]["kept"], "yes");
  EXPECT_EQ(object["metadata"]["annotations"], (Json{{"kept", "yes"}})) << "the server would go on writing it";
}

TEST_F(ProgressResources, HearThatTheServerWantsAnEnd) {
  objects_.put(kBackups + "local-1", {{"metadata", {{"name", "local-1"}}}, {"spec", {{"cancel", true}}}});
  write_bytes(test_.volume() / "a", std::string(100'000'000, 'a'));
  Task task = snapshot(ProgressWay::kAuto);
  task.settings.bytes_per_second = 1'000'000;
  registered(task);
  EXPECT_EQ(done(TaskKind::kSnapshot, "local-1").phase, kCanceled);
  EXPECT_EQ(objects_.all().at(kBackups + "local-1")["status"]["phase"], "Canceled");
}

TEST_F(ProgressResources, AreGivenUpWhereNobodyKnowsThem) {
  objects_.refuse();
  write_bytes(test_.volume() / "a", "a");
  snapshot(ProgressWay::kAuto);
  const Task task = done(TaskKind::kSnapshot, "local-1");
  EXPECT_EQ(task.phase, kCompleted);
  EXPECT_TRUE(task.is_reported);
  EXPECT_TRUE(objects_.all().empty());
}

TEST_F(ProgressResources, ThatAreThereAreLeftToTheNextWorkerUntilTheySayHowItEnded) {
  Task task = snapshot(ProgressWay::kAuto);
  task.phase = kCompleted;
  task.resource = "local-1";
  registered(task);
  objects_.put(kBackups + "local-1", {{"metadata", {{"name", "local-1"}}}});
  objects_.refuse();
  HastyClock clock;
  ASSERT_TRUE(do_task(test_.layout(), task.kind, task.id, environment(), clock));
  EXPECT_FALSE(test_.state(task.kind, task.id).is_reported);
}

}  // namespace
}  // namespace landfall::plugin_local
