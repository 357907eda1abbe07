#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/manual_clock.h"
#include "http/recording_responder.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/store.h"
#include "sandbox/watch.h"

namespace landfall::sandbox {
namespace {

using json::Json;

const k8s::GroupResource kMaps{"", "configmaps"};

Json config_map(const std::string& name_space, const std::string& name, int count) {
  return {{"metadata",
           {{"name", name},
            {"namespace", name_space},
            {"uid", name},
            {"labels", {{"parity", count % 2 == 0 ? "even" : "odd"}}}}},
          {"data", {{"count", std::to_string(count)}}}};
}

class Watched {
 public:
  Watched() : hub(store, faults, pool, clock, random) {}

  std::shared_ptr<http::RecordingResponder> open(const std::string& selector, const std::string& revision) {
    ApiRequest request;
    request.verb = Verb::kWatch;
    request.kind = registry.kinds()->find("", "v1", "configmaps");
    request.list.labels = k8s::LabelSelector::parse(selector).value();
    request.list.resource_version = revision;
    request.list.allow_bookmarks = true;
    auto responder = std::make_shared<http::RecordingResponder>();
    hub.open(request, responder);
    return responder;
  }

  // What it was sent so far.
  static std::vector<Json> events(const http::RecordingResponder& responder) {
    std::vector<Json> out;
    std::string body = responder.answer().body;
    std::size_t end = 0;
    while ((end = body.find('\n')) != std::string::npos) {
      out.push_back(json::parse(body.substr(0, end)).value());
      body.erase(0, end + 1);
    }
    return out;
  }

  ManualClock clock;
  SeededRandom random{7};
  Store store{clock};
  Registry registry;
  Faults faults;
  http::WorkerPool pool{{.name = "test", .threads = 3}, clock, Logger()};
  WatchHub hub;
};

// Four writers change forty objects; every watch must see each change of each object once and in order.
TEST(StoreThreads, WatchesMissNothingAndDoubleNothing) {
  Watched world;
  constexpr int kRounds = 60;
  std::vector<std::shared_ptr<http::RecordingResponder>> responders;
  responders.push_back(world.open("", "1"));
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 4; ++w) {
      writers.emplace_back([&, w] {
        const std::string home = "ns" + std::to_string(w % 2);
        for (int i = 0; i < kRounds; ++i) {
          const std::string name = "w" + std::to_string(w) + "-" + std::to_string(i % 10);
          const ObjectPtr now = world.store.get(kMaps, home, name);
          if (!now) {
            ASSERT_TRUE(world.store.create(kMaps, encode(config_map(home, name, i))));
          } else if (i % 7 == 0) {
            ASSERT_TRUE(world.store.remove(kMaps, now));
          } else {
            ASSERT_TRUE(world.store.update(kMaps, now, encode(config_map(home, name, i))));
          }
        }
      });
    }
    responders.push_back(world.open("", "1"));
    responders.push_back(world.open("parity=even", "1"));
  }
  const std::uint64_t last = world.store.revision();
  EXPECT_EQ(last, 1 + 4 * kRounds);
  world.hub.stop();
  for (const auto& responder : responders) {
    while (!responder->answer().finished) std::this_thread::yield();
  }
  const auto changes = world.store.changes_after(kMaps, 1, 100'000).value();
  ASSERT_EQ(changes.changes.size(), 4U * kRounds);
  for (int which : {0, 1}) {
    std::vector<std::string> seen;
    for (const Json& event : Watched::events(*responders[static_cast<std::size_t>(which)])) {
      if (event["type"] != "BOOKMARK") seen.push_back(event["object"]["metadata"]["resourceVersion"]);
    }
    ASSERT_EQ(seen.size(), changes.changes.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i], std::to_string(changes.changes[i].object->revision));
    }
  }
  // A selection is entered and left: what is in it at the end is what the list says.
  std::map<std::string, std::string> held;
  for (const Json& event : Watched::events(*responders[2])) {
    if (event["type"] == "BOOKMARK") continue;
    const std::string name = event["object"]["metadata"]["name"];
    EXPECT_EQ(held.contains(name), event["type"] != "ADDED") << event.dump();
    EXPECT_EQ(event["object"]["metadata"]["labels"]["parity"], "even");
    if (event["type"] == "DELETED") {
      held.erase(name);
    } else {
      held[name] = event["object"]["data"]["count"];
    }
  }
  std::size_t even = 0;
  for (const ObjectPtr& object : world.store.list(kMaps, "").objects) {
    if (object->labels().find("even") == std::string_view::npos) continue;
    ++even;
    EXPECT_TRUE(held.contains(std::string(object->name())));
  }
  EXPECT_EQ(held.size(), even);
}

TEST(StoreThreads, AnOldListIsWorkedOutFromTheHistory) {
  ManualClock clock;
  Store store(clock, {.history_changes = 10});
  const ObjectPtr a = store.create(kMaps, encode(config_map("x", "a", 0))).value();
  const ObjectPtr b = store.create(kMaps, encode(config_map("x", "b", 0))).value();
  const std::uint64_t then = store.revision();
  ASSERT_TRUE(store.remove(kMaps, a));
  ASSERT_TRUE(store.update(kMaps, b, encode(config_map("x", "b", 1))));
  ASSERT_TRUE(store.create(kMaps, encode(config_map("x", "c", 0))));
  const SnapshotPtr old = store.at(kMaps, "x", then).value();
  ASSERT_EQ(old->objects.size(), 2U);
  EXPECT_EQ(old->objects[0], a);
  EXPECT_EQ(old->objects[1], b);
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(store.create(kMaps, encode(config_map("x", "d" + std::to_string(i), 0))));
  }
  EXPECT_EQ(store.at(kMaps, "x", then).error().code(), Code::kGone);
  EXPECT_EQ(store.changes_after(kMaps, then, 5).error().code(), Code::kGone);
}

}  // namespace
}  // namespace landfall::sandbox
