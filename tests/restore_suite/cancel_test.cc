#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "json/parse.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using ::testing::HasSubstr;

constexpr int kItems = 40;
constexpr int kWorkers = 4;

archive::SpooledArchive many_items() {
  std::vector<json::Json> objects;
  for (int i = 0; i < kItems; ++i) objects.push_back(config_map("shop", "item-" + std::to_string(100 + i)));
  return archive_of(items_of(objects));
}

// Calls the function with the number of the item that begins, from 1.
std::function<std::vector<std::unique_ptr<extension::RestoreItemAction>>()> on_begin(
    std::function<void(int)> function) {
  return [function = std::move(function)] {
    std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
    actions.push_back(std::make_unique<ScriptedAction>(std::vector<std::string>{"configmaps"},
                                                       [function, begun = std::make_shared<std::atomic<int>>(0)](
                                                           const auto&) -> Result<extension::RestoreActionResult> {
                                                         function(++*begun);
                                                         return extension::RestoreActionResult();
                                                       }));
    return actions;
  };
}

TEST(Cancel, EndsWhatHasBegunAndBeginsNothingNew) {
  TestCluster cluster;
  const auto archive = many_items();
  std::stop_source stop;
  std::atomic<int> begun = 0;
  const Script script{.workers = kWorkers, .more_actions = on_begin([&](int number) {
                                             ++begun;  // the numbers come in any order
                                             if (number == 10) stop.request_stop();
                                           })};
  const Outcome outcome = restore_all(cluster.client(), archive, script, stop.get_token());

  EXPECT_TRUE(outcome.is_cut_off);
  // Each of the others may have been about to begin when the stop came.
  EXPECT_LE(begun, 10 + kWorkers);
  // What began has ended well, if the machine gave it the time: it is in the cluster, in the counts and in the list.
  const std::int64_t made = outcome.last.items.outcomes.created - 1;  // without the namespace
  EXPECT_GE(made, 10 - kWorkers);
  EXPECT_LE(made, begun);
  EXPECT_EQ(outcome.last.items.done, made + 1);
  EXPECT_EQ(outcome.last.items.total, kItems + 1);
  EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap").size(), static_cast<std::size_t>(made));
  for (int i = 0; i < kItems; ++i) {
    const std::string name = "item-" + std::to_string(100 + i);
    const std::string listed = "shop/" + name + "(created)";
    const bool is_listed = std::ranges::count(outcome.resource_list.at("v1/ConfigMap"), json::Json(listed)) == 1;
    if (is_listed) {
      EXPECT_TRUE(cluster.find("configmaps", "shop", name)) << name;
    }
  }
}

TEST(Cancel, NamesWhatWasNotRestored) {
  const auto archive = many_items();
  Outcome outcome;
  Duration took{};
  int tries = 0;
  // The item that has begun gets a second and a half to end: a machine too busy for that is asked again.
  do {
    TestCluster cluster;
    std::stop_source stop;
    SteadyTime stopped;
    const Script script{.workers = 1, .more_actions = on_begin([&](int number) {
                                        if (number != 38) return;
                                        stopped = system_clock().now();
                                        stop.request_stop();
                                      })};
    outcome = restore_all(cluster.client(), archive, script, stop.get_token());
    took = system_clock().now() - stopped;
  } while (took > std::chrono::seconds(1) && ++tries < 10);

  const std::string errors = json::dump(outcome.results.at("errors"));
  EXPECT_THAT(errors, HasSubstr("2 of 41 planned items were not restored"));
  const json::Json& left = outcome.results.at("warnings").at("namespaces").at("shop");
  ASSERT_EQ(left.size(), 1U) << left;
  EXPECT_THAT(left[0].get<std::string>(), HasSubstr("configmaps not restored"));
  EXPECT_THAT(left[0].get<std::string>(), HasSubstr(": item-138, item-139"));
}

TEST(Cancel, BeforeAnythingBeganLeavesTheClusterAlone) {
  TestCluster cluster;
  const auto before = cluster.versions();
  std::stop_source stop;
  stop.request_stop();
  const auto outcome = try_restore(cluster.client(), many_items(), {}, stop.get_token());
  // It may not even have been possible to ask the cluster.
  if (outcome) {
    EXPECT_TRUE(outcome->is_cut_off);
  } else {
    EXPECT_EQ(outcome.error().code(), Code::kCancelled);
  }
  EXPECT_EQ(cluster.versions(), before);
}

TEST(Cancel, DoesNotWaitForANamespaceThatIsBeingDeleted) {
  TestCluster cluster;
  json::Json going = namespace_of("shop");
  going["metadata"]["finalizers"] = json::Json::array({"example.com/never"});
  cluster.make(going);
  cluster.remove("namespaces", "", "shop");
  std::stop_source stop;
  std::atomic<int> looks = 0;
  Gatekeeper gate(cluster.sandbox(), [&](const testkit::ScriptedRequest& request) -> std::optional<std::string> {
    // The second look at it: it is waited for.
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool is_look = request.method == "GET" && path == "/api/v1/namespaces/shop";
    if (is_look && ++looks == 2) stop.request_stop();
    return std::nullopt;
  });
  const SteadyTime begin = system_clock().now();
  const auto outcome = try_restore(gate.client(), many_items(), {}, stop.get_token());
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_TRUE(outcome->is_cut_off);
  EXPECT_GE(looks, 2);
  // Without the stop it would be ten minutes.
  EXPECT_LT(system_clock().now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(outcome->last.items.done, 0);
}

}  // namespace
}  // namespace landfall::restore_suite
