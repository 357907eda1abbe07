#pragma once

#include <thread>

#include "base/guarded.h"
#include "kube/cache.h"
#include "kube/watch.h"
#include "kube_conformance/fixture.h"

namespace landfall::kube {

// Events of a watch as "ADDED a", up to a number of them.
inline Status collect(const Resource& resource, const WatchOptions& options, std::size_t count,
                      std::vector<std::string>& events) {
  const auto name_of = [](WatchEventType type) {
    switch (type) {
      case WatchEventType::kAdded:
        return "ADDED ";
      case WatchEventType::kModified:
        return "MODIFIED ";
      case WatchEventType::kDeleted:
        return "DELETED ";
      case WatchEventType::kBookmark:
        return "BOOKMARK ";
    }
    return "?";
  };
  return watch(resource, options,
               [&](WatchEventType type, json::Json& object) -> Result<bool> {
                 if (type != WatchEventType::kBookmark) {
                   events.push_back(name_of(type) + std::string(k8s::ObjectView(object).name()));
                 }
                 return events.size() < count;
               },
               {});
}

// The label is there because controllers may put objects of their own into a new namespace.
TEST_P(KubeConformance, WatchesFromAVersionOn) {
  const auto before = config_maps().create(labelled("a", "mine", ""), {});
  ASSERT_TRUE(before);
  ASSERT_TRUE(config_maps().create(labelled("b", "mine", ""), {}));
  ASSERT_TRUE(config_maps().patch("a", PatchType::kMerge, {{"data", {{"value", "2"}}}}, {}));
  ASSERT_TRUE(config_maps().remove("b", {}));
  std::vector<std::string> events;
  const Status ended = collect(
      config_maps(), {.selection = {.label_selector = "mine"}, .resource_version = version(*before)}, 3, events);
  EXPECT_TRUE(ended) << ended.error().message();
  EXPECT_THAT(events, testing::ElementsAre("ADDED b", "MODIFIED a", "DELETED b"));
}

TEST_P(KubeConformance, WatchesWhatASelectorSees) {
  const auto before = config_maps().create(labelled("a", "in", "no"), {});
  ASSERT_TRUE(before);
  ASSERT_TRUE(config_maps().create(labelled("b", "in", "yes"), {}));
  ASSERT_TRUE(config_maps().patch("a", PatchType::kMerge, {{"metadata", {{"labels", {{"in", "yes"}}}}}}, {}));
  ASSERT_TRUE(config_maps().patch("b", PatchType::kMerge, {{"metadata", {{"labels", {{"in", "no"}}}}}}, {}));
  std::vector<std::string> events;
  const Status ended = collect(
      config_maps(), {.selection = {.label_selector = "in=yes"}, .resource_version = version(*before)}, 3, events);
  EXPECT_TRUE(ended) << ended.error().message();
  EXPECT_THAT(events, testing::ElementsAre("ADDED b", "ADDED a", "DELETED b"));
}

TEST_P(KubeConformance, AWatchEndsWhenItsTimeIsOver) {
  const auto before = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(before);
  std::vector<std::string> events;
  const Status ended = collect(config_maps(),
                               {.selection = {.label_selector = "mine"},
                                .resource_version = version(*before),
                                .server_timeout = std::chrono::seconds(1)},
                               9, events);
  EXPECT_TRUE(ended) << ended.error().message();
  EXPECT_THAT(events, testing::IsEmpty());
}

// Of a resource that is served only since now: a server that has just started may remember all of the others.
TEST_P(KubeConformance, AWatchFromLongAgoIsGone) {
  const auto things = serve_things();
  ASSERT_TRUE(things) << things.error().message();
  std::vector<std::string> events;
  const auto ended = collect(*things, {.resource_version = "1", .server_timeout = std::chrono::seconds(2)}, 1, events);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kGone) << ended.error().message();
}

TEST_P(KubeConformance, AWatchIsStoppedAtOnce) {
  const auto before = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(before);
  std::stop_source stop;
  std::jthread stopper;
  ASSERT_TRUE(config_maps().create(config_map("b"), {}));
  const SteadyTime began = client_->clock().now();
  const auto ended = watch(
      config_maps(), {.resource_version = version(*before)},
      [&](WatchEventType, json::Json&) -> Result<bool> {
        if (!stopper.joinable()) {
          stopper = std::jthread([&] { stop.request_stop(); });
        }
        return true;
      },
      stop.get_token());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kCancelled) << ended.error().message();
  EXPECT_LT(client_->clock().now() - began, std::chrono::seconds(10));
}

TEST_P(KubeConformance, ACacheFollows) {
  ASSERT_TRUE(config_maps().create(labelled("a", "cached", ""), {}));
  Cache cache(config_maps(), {.label_selector = "cached"}, system_random(), Logger());
  Guarded<std::vector<std::string>> told;
  cache.on_change([&](const CacheChange& change) {
    told.with([&](std::vector<std::string>& all) {
      all.push_back((change.before ? "" : "+") + change.name.name + (change.after ? "" : "-"));
    });
  });
  const std::jthread runner([&](const std::stop_token& stop) { cache.run(stop); });
  ASSERT_TRUE(cache.wait_synced(client_->clock().after(std::chrono::seconds(20)), {}));
  ASSERT_NE(cache.get({name_space_, "a"}), nullptr);
  ASSERT_TRUE(config_maps().create(labelled("b", "cached", ""), {}));
  const std::string large(700'000, 'x');
  ASSERT_TRUE(config_maps().patch("b", PatchType::kMerge, {{"data", {{"large", large}}}}, {}));
  ASSERT_TRUE(config_maps().remove("a", {}));
  const SteadyTime deadline = client_->clock().after(std::chrono::seconds(20));
  while (cache.get({name_space_, "a"}) != nullptr && client_->clock().now() < deadline) {
    client_->clock().sleep_for(std::chrono::milliseconds(5), {});
  }
  EXPECT_THAT(told.copy(), testing::ElementsAre("+a", "+b", "b", "a-"));
  const Object b = cache.get({name_space_, "b"});
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(text(*b, {"data", "large"}), large);
}

}  // namespace landfall::kube
