#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "cli/object_watch.h"
#include "cli/test_cluster.h"
#include "kube/fake_api.h"
#include "kube/test_client.h"

namespace landfall::cli {
namespace {

using json::Json;
using kube::FakeApi;

std::string value_of(const Json& object) { return object["data"]["value"].get<std::string>(); }

// Follows the object "r" of a server in memory, and has it changed after each sight, up to a value.
struct Followed {
  explicit Followed(FakeApi& of) : api(of), client(of.url()), maps(*client, {"", "v1", "configmaps"}) {
    api.put("r", "0");
  }
  Status until(int last) {
    ObjectWatch watch(maps, "r", "r", client.random);
    const auto on_seen = [&](Json& object) {
      seen.push_back(value_of(object));
      const int value = std::stoi(seen.back());
      if (value < last) api.put("r", std::to_string(value + 1));
      return value < last;
    };
    const auto on_trouble = [&](const Error& error) { troubles.push_back(error.message()); };
    return watch.follow(on_seen, on_trouble, {});
  }

  FakeApi& api;
  kube::TestClient client;
  kube::Resource maps;
  std::vector<std::string> seen;
  std::vector<std::string> troubles;
};

TEST(ObjectWatch, HandsOverEachChangeByOneListAndOneWatch) {
  FakeApi api;
  Followed followed(api);
  ASSERT_TRUE(followed.until(4));
  EXPECT_THAT(followed.seen, testing::ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(api.lists(), 1);
  EXPECT_EQ(api.watches(), 1);
  EXPECT_TRUE(followed.troubles.empty());
}

TEST(ObjectWatch, GoesOnAfterConnectionsThatBreakOrEnd) {
  using enum FakeApi::Fault;
  FakeApi api;
  std::vector<FakeApi::Fault> faults{kEndOrderly, kCutInsideLine, kCutBeforeLine};
  api.on_line([&faults] {
    if (faults.empty()) return kNone;
    const auto next = faults.back();
    faults.pop_back();
    return next;
  });
  Followed followed(api);
  ASSERT_TRUE(followed.until(4));
  EXPECT_THAT(followed.seen, testing::ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(followed.troubles.size(), 2U) << "an orderly end is none";
  EXPECT_EQ(api.lists(), 3) << "after trouble, not after an orderly end";
  EXPECT_EQ(api.watches(), 4);
}

TEST(ObjectWatch, ListsAgainWhenTheServerHasForgottenTheVersion) {
  FakeApi api;
  bool is_first = true;
  api.on_line([&is_first] { return std::exchange(is_first, false) ? FakeApi::Fault::kForget : FakeApi::Fault::kNone; });
  Followed followed(api);
  ASSERT_TRUE(followed.until(2));
  EXPECT_THAT(followed.seen, testing::ElementsAre("0", "1", "2"));
  EXPECT_EQ(api.lists(), 2);
}

class ObjectWatchOnSandbox : public testing::Test {
 protected:
  Json create() const {
    return cluster_.create(api::kRestore, {{"metadata", {{"name", "r"}}}, {"spec", {{"backupName", "b"}}}});
  }
  Status follow(const std::string& uid, const ObjectWatch::OnSeen& on_seen, const std::stop_token& stop = {}) const {
    ObjectWatch watch(restores_, "r", uid, system_random());
    return watch.follow(on_seen, [](const Error&) {}, stop);
  }
  static std::string uid_of(const Json& object) { return object["metadata"]["uid"].get<std::string>(); }

  TestCluster cluster_{[](const Command&) {}};
  kube::Resource restores_ = cluster_.objects(api::kRestore);
};

TEST_F(ObjectWatchOnSandbox, EndsWhenTheObjectIsDeletedOrIsAnother) {
  const Json first = create();
  int seen = 0;
  const Status deleted = follow(uid_of(first), [&](Json&) {
    if (seen++ == 0) {
      EXPECT_TRUE(restores_.remove("r", {}));
    }
    return true;
  });
  EXPECT_EQ(deleted.error().code(), Code::kNotFound);
  EXPECT_EQ(seen, 2) << "as it was when it went";
  EXPECT_EQ(follow(uid_of(first), [](Json&) { return true; }).error().code(), Code::kNotFound);
  create();
  EXPECT_EQ(follow(uid_of(first), [](Json&) { return true; }).error().code(), Code::kNotFound);
}

TEST_F(ObjectWatchOnSandbox, SeesWhatChangedWhileTheWatchWasCut) {
  const Json made = create();
  cluster_.faults().set({.throttled = 0.2, .retry_after_seconds = 0, .failed = 0.2, .dropped = 1});
  ObjectWatch watch(restores_, "r", uid_of(made), system_random());
  std::vector<std::string> phases;
  int troubles = 0;
  const auto on_seen = [&](Json& object) {
    phases.push_back(json::string_or(object, {"status", "phase"}, ""));
    return phases.back() != "Completed";
  };
  const auto on_trouble = [&](const Error&) {
    ++troubles;
    TestCluster::await([&] {
      return restores_.patch("r", kube::PatchType::kMerge, {{"status", {{"phase", "Completed"}}}}, {}).has_value();
    });
  };
  EXPECT_TRUE(watch.follow(on_seen, on_trouble, {}));
  EXPECT_EQ(phases.back(), "Completed");
  EXPECT_GE(troubles, 1);
}

TEST_F(ObjectWatchOnSandbox, StopsWhenAskedTo) {
  const Json made = create();
  std::stop_source stop;
  const Status done = follow(
      uid_of(made),
      [&](Json&) {
        stop.request_stop();
        return true;
      },
      stop.get_token());
  EXPECT_EQ(done.error().code(), Code::kCancelled);
}

TEST_F(ObjectWatchOnSandbox, ReturnsWhatTryingAgainDoesNotMend) {
  const kube::Resource unknown(cluster_.client(), {"nobody.example.com", "v1", "things"}, "velero");
  ObjectWatch watch(unknown, "r", "u", system_random());
  EXPECT_EQ(watch.follow([](Json&) { return true; }, [](const Error&) {}, {}).error().code(), Code::kNotFound);
}

}  // namespace
}  // namespace landfall::cli
