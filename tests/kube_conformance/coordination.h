#pragma once

#include <atomic>
#include <thread>

#include "kube/events.h"
#include "kube/leader_election.h"
#include "kube/reviews.h"
#include "kube_conformance/fixture.h"

namespace landfall::kube {

inline const k8s::GroupVersionResource kLeasesOfTests{"coordination.k8s.io", "v1", "leases"};

TEST_P(KubeConformance, OneOfTwoReplicasLeadsAndTheOtherFollows) {
  const auto options = [&](const std::string& identity) {
    return LeaderOptions{.name_space = name_space_,
                         .name = "lock",
                         .identity = identity,
                         .retry_period = std::chrono::milliseconds(100)};
  };
  std::atomic<int> leading = 0;
  std::atomic<int> most = 0;
  std::atomic<int> terms = 0;
  const auto run = [&](const std::string& identity, const std::stop_token& stop) {
    LeaderElection election(*client_, options(identity), system_random(), Logger());
    const Status ended = election.run(
        [&](const std::stop_token& work_stop) -> Status {
          most = std::max(most.load(), ++leading);
          ++terms;
          client_->clock().sleep_for(std::chrono::seconds(30), work_stop);
          --leading;
          return {};
        },
        stop);
    EXPECT_TRUE(ended || ended.error().code() == Code::kCancelled) << ended.error().message();
  };
  const auto until = [&](const auto& ready) {
    const SteadyTime deadline = client_->clock().after(std::chrono::seconds(30));
    while (!ready() && client_->clock().now() < deadline) {
      client_->clock().sleep_for(std::chrono::milliseconds(5), {});
    }
    return ready();
  };
  std::jthread first([&](const std::stop_token& stop) { run("one", stop); });
  ASSERT_TRUE(until([&] { return leading == 1; }));
  std::jthread second([&](const std::stop_token& stop) { run("two", stop); });
  EXPECT_EQ(text(resource(kLeasesOfTests).get("lock", {}).value(), {"spec", "holderIdentity"}), "one");
  first = {};  // gives the lease back
  ASSERT_TRUE(until([&] { return terms == 2; }));
  EXPECT_EQ(text(resource(kLeasesOfTests).get("lock", {}).value(), {"spec", "holderIdentity"}), "two");
  second = {};
  EXPECT_EQ(most, 1);
}

TEST_P(KubeConformance, RecordsEventsAndCountsThemUp) {
  const auto object = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(object);
  EventRecorder recorder(*client_, {.component = "conformance"}, system_random(), Logger());
  for (int i = 0; i < 3; ++i) {
    recorder.record(reference_to(*object), EventType::kWarning, "Tested", "three times");
  }
  ASSERT_TRUE(recorder.flush(client_->clock().after(std::chrono::seconds(20)), {}));
  EXPECT_EQ(recorder.dropped(), 0U);
  const auto events =
      resource({"", "v1", "events"}).list({.field_selector = "involvedObject.name=a,reason=Tested,type=Warning"}, {});
  ASSERT_TRUE(events) << events.error().message();
  ASSERT_EQ(events->items.size(), 1U);
  EXPECT_EQ(events->items[0]["count"], 3);
  EXPECT_EQ(events->items[0]["involvedObject"]["uid"], text(*object, {"metadata", "uid"}));
  const auto newer = resource({"events.k8s.io", "v1", "events"}).list({}, {});
  ASSERT_TRUE(newer) << newer.error().message();
  EXPECT_EQ(newer->items.size(), 1U) << "the same events, by their other name";
  EXPECT_EQ(newer->items[0]["note"], "three times");
}

TEST_P(KubeConformance, TellsWhoWeAreAndWhatWeMay) {
  EXPECT_FALSE(review_token(*client_, "nonsense", {}, {}).value().is_authenticated);
  const auto own = review_own_access(*client_, {.verb = "create", .resource = "pods", .name_space = name_space_}, {});
  ASSERT_TRUE(own) << own.error().message();
  EXPECT_TRUE(own->is_allowed);
}

TEST_P(KubeConformance, ManyWritersLoseNothing) {
  constexpr int kWriters = 16;
  constexpr int kEach = 20;
  ASSERT_TRUE(config_maps().create(config_map("counter", "0"), {}));
  std::atomic<int> conflicts = 0;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        for (int i = 0; i < kEach; ++i) {
          const std::string name = "w" + std::to_string(w) + "-" + std::to_string(i);
          failures += config_maps().create(labelled(name, "many", "yes"), {}) ? 0 : 1;
        }
        // Counts up by optimistic locking.
        while (true) {
          auto counter = config_maps().get("counter", {});
          if (!counter) {
            ++failures;
            return;
          }
          (*counter)["data"]["value"] = std::to_string(std::stoi(text(*counter, {"data", "value"})) + 1);
          const auto updated = config_maps().update(*counter, {});
          if (updated) {
            return;
          }
          failures += updated.error().code() == Code::kConflict ? 0 : 1;
          ++conflicts;
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(text(config_maps().get("counter", {}).value(), {"data", "value"}), std::to_string(kWriters));
  const auto all = config_maps().list({.label_selector = "many", .page_size = 50}, {});
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->items.size(), static_cast<std::size_t>(kWriters * kEach));
  EXPECT_TRUE(config_maps().remove_all({.label_selector = "many"}, {}));
}

}  // namespace landfall::kube
