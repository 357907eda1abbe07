#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "json/json.h"
#include "kube/cache.h"
#include "kube/controller.h"
#include "kube/fake_api.h"
#include "kube/test_client.h"

namespace landfall::kube {
namespace {

const k8s::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

int version_of(const Object& object) { return std::stoi((*object)["metadata"]["resourceVersion"].get<std::string>()); }

// Keeps what a cache tells, and checks that it is a chain: each change starts where the last one of its object ended.
struct Chain {
  void hear(const CacheChange& change) {
    const Object known = last.contains(change.name) ? last[change.name] : nullptr;
    if (known != change.before || (!change.before && !change.after)) {
      broken.push_back(k8s::to_string(change.name));
    }
    if (change.before && change.after && version_of(change.before) >= version_of(change.after)) {
      broken.push_back("backwards: " + k8s::to_string(change.name));
    }
    last[change.name] = change.after;
    ++changes;
  }
  std::map<k8s::NamespacedName, Object> last;
  std::vector<std::string> broken;
  int changes = 0;
};

struct Running {
  explicit Running(FakeApi& api, Cache::OnChange on_change = {})
      : client(api.url()), cache(Resource(*client, kConfigMaps), {}, client.random, Logger()) {
    if (on_change) {
      cache.on_change(std::move(on_change));
    }
    thread = std::jthread([this](const std::stop_token& stop) { cache.run(stop); });
  }
  TestClient client;
  Cache cache;
  std::jthread thread;
};

template <class Ready>
bool eventually(const Ready& ready) {
  const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
  while (!ready()) {
    if (system_clock().now() > deadline) {
      return false;
    }
    system_clock().sleep_for(std::chrono::milliseconds(1), {});
  }
  return true;
}

bool same(const Cache& cache, const FakeApi& api) {
  const auto objects = api.objects();
  const auto copies = cache.list();
  return copies.size() == objects.size() && std::ranges::all_of(copies, [&](const Object& copy) {
           const auto found = objects.find((*copy)["metadata"]["name"].get<std::string>());
           return found != objects.end() && found->second == *copy;
         });
}

TEST(CacheThreads, FollowsWhatHappensAndTellsItOnce) {
  FakeApi api;
  api.put("a", "1");
  Chain chain;
  Guarded<Chain*> guard(&chain);
  Running running(api, [&](const CacheChange& change) { guard.with([&](Chain* c) { c->hear(change); }); });
  ASSERT_TRUE(running.cache.wait_synced(system_clock().after(std::chrono::seconds(60)), {}));
  EXPECT_EQ((*running.cache.get({"ns", "a"}))["data"]["value"], "1");
  api.put("a", "2");
  api.bookmark();
  api.put("b", "1");
  api.remove("a");
  ASSERT_TRUE(
      eventually([&] { return same(running.cache, api) && guard.with([](Chain* c) { return c->changes; }) == 4; }));
  EXPECT_EQ(running.cache.get({"ns", "a"}), nullptr);
  EXPECT_EQ(running.cache.size(), 1U);
  EXPECT_EQ(api.lists(), 1);
  running.thread = {};
  EXPECT_TRUE(chain.broken.empty()) << chain.broken.front();
}

// Connections that break at every kind of place, versions that are forgotten, four writers: the copy ends up equal, and
// the story it told has neither a gap nor a repetition.
TEST(CacheThreads, MissesAndRepeatsNothingHoweverTheConnectionBreaks) {
  FakeApi api;
  SeededRandom dice(7);
  api.on_line([&] {
    switch (dice.uniform(60)) {
      case 0:
        return FakeApi::Fault::kCutBeforeLine;
      case 1:
        return FakeApi::Fault::kCutInsideLine;
      case 2:
        return FakeApi::Fault::kEndOrderly;
      case 3:
        return dice.uniform(4) == 0 ? FakeApi::Fault::kForget : FakeApi::Fault::kNone;
      default:
        return FakeApi::Fault::kNone;
    }
  });
  Chain chain;
  Running running(api, [&](const CacheChange& change) { chain.hear(change); });
  // What is written before the list comes with it in one piece, and no line of it could break.
  ASSERT_TRUE(running.cache.wait_synced(system_clock().after(std::chrono::seconds(60)), {}));
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 4; ++w) {
      writers.emplace_back([&, w] {
        for (int i = 0; i < 60; ++i) {
          const std::string name = std::to_string(w) + "-" + std::to_string(i % 7);
          i % 5 == 4 ? api.remove(name) : api.put(name, std::to_string(i));
          system_clock().sleep_for(std::chrono::milliseconds(1), {});
        }
      });
    }
  }
  EXPECT_TRUE(eventually([&] { return same(running.cache, api); }));
  running.thread = {};
  EXPECT_TRUE(chain.broken.empty()) << chain.broken.size() << " breaks, the first at " << chain.broken.front();
  EXPECT_GT(api.server().connections(), 5) << "nothing broke, so nothing was shown";
}

// Every line ends its connection; when the versions before the bookmark are forgotten, only one who heeded it goes on.
TEST(CacheThreads, GoesOnFromABookmarkWithoutListingAgain) {
  FakeApi api;
  api.put("a", "1");
  api.on_line([] { return FakeApi::Fault::kEndOrderly; });
  Running running(api);
  ASSERT_TRUE(running.cache.wait_synced(system_clock().after(std::chrono::seconds(60)), {}));
  api.bookmark();
  ASSERT_TRUE(eventually([&] { return api.watches() > 1; }));
  api.forget();
  api.put("b", "1");
  EXPECT_TRUE(eventually([&] { return same(running.cache, api); }));
  EXPECT_EQ(api.lists(), 1);
}

TEST(CacheThreads, StopsWhileWatching) {
  FakeApi api;
  Running running(api);
  ASSERT_TRUE(running.cache.wait_synced(system_clock().after(std::chrono::seconds(60)), {}));
  const SteadyTime began = system_clock().now();
  running.thread = {};
  EXPECT_LT(system_clock().now() - began, std::chrono::seconds(60));
}

struct Counting : Reconciler {
  explicit Counting(Cache& the_cache) : cache(the_cache) {}
  Result<Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token&) override {
    const Object object = cache.get(name);
    const std::string value = object ? (*object)["data"]["value"].get<std::string>() : "gone";
    return seen.with([&](std::map<std::string, std::vector<std::string>>& all) -> Result<Reconciled> {
      all[name.name].push_back(value);
      if (value == "fails twice" && all[name.name].size() < 3) {
        return fail(Code::kUnavailable, "not yet");
      }
      if (value == "again" && all[name.name].size() < 2) {
        return Reconciled{.again_after = std::chrono::milliseconds(5)};
      }
      return Reconciled{};
    });
  }
  Cache& cache;
  Guarded<std::map<std::string, std::vector<std::string>>> seen;
};

TEST(ControllerThreads, ReconcilesEveryChangeAndComesBackWhenAsked) {
  FakeApi api;
  api.put("a", "1");
  TestClient client(api.url());
  Cache cache(Resource(*client, kConfigMaps), {}, client.random, Logger());
  Counting reconciler(cache);
  Controller controller("test", reconciler, system_clock(), client.random, Logger(), 3);
  controller.watch(cache);
  controller.watch(cache, [](const CacheChange& change) {
    return std::vector<k8s::NamespacedName>{{"", "mapped-" + change.name.name}};
  });
  const std::jthread feeding([&](const std::stop_token& stop) { cache.run(stop); });
  const std::jthread working([&](const std::stop_token& stop) { controller.run(stop); });
  const auto last_of = [&](const std::string& name, std::size_t least, const std::string& value) {
    return eventually([&] {
      return reconciler.seen.with([&](auto& all) { return all[name].size() >= least && all[name].back() == value; });
    });
  };
  EXPECT_TRUE(last_of("a", 1, "1"));
  EXPECT_TRUE(last_of("mapped-a", 1, "gone"));
  api.put("b", "fails twice");
  api.put("c", "again");
  EXPECT_TRUE(last_of("b", 3, "fails twice"));
  EXPECT_TRUE(last_of("c", 2, "again"));
  api.remove("a");
  EXPECT_TRUE(last_of("a", 2, "gone"));
}

}  // namespace
}  // namespace landfall::kube
