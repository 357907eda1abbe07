#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "item_actions/restore_group_snapshot.h"
#include "item_actions/restore_lookup.h"
#include "item_actions/test_restore_input.h"
#include "json/access.h"
#include "selection/test_discovery.h"
#include "testkit/gate.h"

namespace landfall::item_actions {
namespace {

TEST(Lookup, ManyThreadsShareOneCall) {
  LookupByKey<int> lookup;
  std::atomic<int> calls = 0;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, key = i % 2] {
        const auto found = lookup.get(std::to_string(key), system_clock(), {}, [&]() -> Result<int> {
          ++calls;
          return key;
        });
        if (found && **found == key) ++right;
      });
    }
  }
  EXPECT_EQ(right, 8);
  EXPECT_EQ(calls, 2);
}

TEST(Lookup, KeepsAnErrorButNotAStop) {
  Lookup<int> lookup;
  int calls = 0;
  const auto failing = [&](Code code) {
    return lookup.get(system_clock(), {}, [&]() -> Result<int> {
      ++calls;
      return fail(code, "no");
    });
  };
  EXPECT_FALSE(failing(Code::kCancelled));
  EXPECT_EQ(failing(Code::kForbidden).error().code(), Code::kForbidden);
  EXPECT_EQ(failing(Code::kUnavailable).error().code(), Code::kForbidden);
  EXPECT_EQ(calls, 2);
}

TEST(Lookup, OneThatIsStoppedDoesNotWaitForAnothersCall) {
  Lookup<int> lookup;
  std::atomic<bool> is_in = false;
  std::atomic<bool> may_end = false;
  std::jthread loading([&] {
    EXPECT_TRUE(lookup.get(system_clock(), {}, [&]() -> Result<int> {
      is_in = true;
      is_in.notify_all();
      may_end.wait(false);
      return 1;
    }));
  });
  is_in.wait(false);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = lookup.get(system_clock(), stop.get_token(), [&]() -> Result<int> { return 2; });
  EXPECT_FALSE(stopped);
  may_end = true;
  may_end.notify_all();
  loading.join();
  EXPECT_EQ(**lookup.get(system_clock(), {}, [&]() -> Result<int> { return 3; }), 1);
}

// A server that has one stub: it takes creates and merge patches of it.
class StubServer {
 public:
  std::string answer(const testkit::ScriptedRequest& request) {
    const std::scoped_lock lock(mutex_);
    if (request.target.find("classes") != std::string::npos) return TestCluster::missing();
    if (request.method == "GET" && stub_.is_null()) return TestCluster::missing();
    if (request.method == "POST") stub_ = json::parse(request.body).value();
    if (request.method == "PATCH") stub_.merge_patch(json::parse(request.body).value());
    return testkit::reply(200, json::dump(stub_));
  }
  std::size_t handles() {
    const std::scoped_lock lock(mutex_);
    return json::find(stub_, {"spec", "source", "groupSnapshotHandles", "volumeSnapshotHandles"})->size();
  }

 private:
  std::mutex mutex_;
  json::Json stub_;
};

TEST(GroupSnapshotStubs, SnapshotsOfOneGroupDoNotLoseEachOthersHandles) {
  StubServer stub;
  const testkit::ScriptedServer server(testkit::ScriptedServer::answering(
      [&](const testkit::ScriptedRequest& request) { return stub.answer(request); }));
  const kube::TestClient client(server.url());
  GroupSnapshotStubs stubs(*client, selection::test_discovery());
  const json::Json restore = test_restore();
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] {
        json::Json snapshot;
        snapshot["metadata"]["annotations"] = {{"velero.io/csi-volumegroupsnapshot-handle", "g"},
                                               {"velero.io/csi-volumesnapshot-handle", "h" + std::to_string(i)},
                                               {"velero.io/csi-driver-name", "d"}};
        if (stubs.ensure(snapshot, restore, {})) ++done;
      });
    }
  }
  EXPECT_EQ(done, 6);
  EXPECT_EQ(stub.handles(), 6U);
}

}  // namespace
}  // namespace landfall::item_actions
