#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "restore_suite/market.h"
#include "restore_suite/props.h"

namespace landfall::restore_suite {
namespace {

using json::Json;

constexpr int kSize = 3;

// What a process leaves behind that dies when the `k`-th item comes to its action: its plan, if it had got that far,
// and its journal without the last `lost` lines. Lines up to the last intent are there: what it is about
// waits for those.
struct Remains {
  std::vector<std::string> lines;
  std::optional<restore::Plan> plan;
};

Remains cut_off_at(TestCluster& cluster, const archive::SpooledArchive& archive, Script script, int k,
                   std::size_t lost) {
  std::stop_source stop;
  std::atomic<int> seen = 0;
  script.more_actions = [&] {
    std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
    actions.push_back(std::make_unique<ScriptedAction>(std::vector<std::string>(),
                                                       [&](const auto&) -> Result<extension::RestoreActionResult> {
                                                         if (++seen == k) stop.request_stop();
                                                         return extension::RestoreActionResult();
                                                       }));
    return actions;
  };
  Outcome outcome = restore_all(cluster.client(), archive, script, stop.get_token());
  EXPECT_TRUE(outcome.is_cut_off) << "after " << k;
  const auto last_sure = std::find_if(outcome.journal.rbegin(), outcome.journal.rend(), [](const std::string& line) {
    return line.starts_with(R"(["intent")") || line.starts_with(R"(["begin")");
  });
  const auto after = static_cast<std::size_t>(last_sure - outcome.journal.rbegin());
  outcome.journal.resize(outcome.journal.size() - std::min(lost, after));
  return {.lines = std::move(outcome.journal), .plan = std::move(outcome.plan)};
}

// Restores in two processes and holds the end against that of one.
void expect_same_end(const std::string& policy, const std::vector<int>& cuts, std::size_t lost) {
  const auto archive = archive_of(items_of(market(kSize)));
  TestCluster quiet;
  open_early(quiet);
  const Ending expected = ending_of(quiet, restore_all(quiet.client(), archive, market_script(4, policy)));
  for (const int k : cuts) {
    SCOPED_TRACE("cut off at item " + std::to_string(k) + ", " + std::to_string(lost) + " lines lost");
    TestCluster cluster;
    open_early(cluster);
    Script script = market_script(4, policy);
    const Remains remains = cut_off_at(cluster, archive, script, k, lost);
    script.found_lines = remains.lines;
    script.stored_plan = remains.plan;
    const Outcome second = restore_all(cluster.client(), archive, script);
    EXPECT_FALSE(second.is_cut_off);
    expect_same(expected, ending_of(cluster, second));
  }
}

TEST(Resume, EndsAsAnUndisturbedRestoreWhereverItWasCutOff) { expect_same_end("", {1, 2, 3, 9, 14, 23, 31}, 0); }

TEST(Resume, DoesNotMindLinesThatWereNeverWritten) { expect_same_end("", {1, 4, 12, 20, 30}, 5); }

TEST(Resume, UpdatesOnceAndSaysSoWhenItMayOverwrite) { expect_same_end("update", {3, 8, 17, 26}, 0); }

TEST(Resume, KnowsWhatItHasUpdatedWithoutTheLastLines) { expect_same_end("update", {6, 12, 16, 20, 24}, 4); }

TEST(Resume, SurvivesBeingCutOffAgainAndAgain) {
  const auto archive = archive_of(items_of(market(kSize)));
  TestCluster quiet;
  open_early(quiet);
  const Ending expected = ending_of(quiet, restore_all(quiet.client(), archive, market_script(4)));

  TestCluster cluster;
  open_early(cluster);
  Script script = market_script(4);
  for (int i = 0; i < 4; ++i) {
    const Remains remains = cut_off_at(cluster, archive, script, 5, 2);
    script.found_lines.insert(script.found_lines.end(), remains.lines.begin(), remains.lines.end());
    if (remains.plan) script.stored_plan = remains.plan;
  }
  expect_same(expected, ending_of(cluster, restore_all(cluster.client(), archive, script)));
}

// Controllers make objects while a restore runs: younger than the Restore, and not its own.
TEST(Resume, DoesNotTakeWhatItHasChangedForWhatItHasCreated) {
  const auto archive = archive_of(items_of({config_map("shop", "same"), config_map("shop", "other", "backup's")}));
  TestCluster cluster;
  cluster.make_namespace("shop");
  cluster.make(config_map("shop", "same"));
  cluster.make(config_map("shop", "other", "somebody's"));
  Script script{.restore_spec = {{"existingResourcePolicy", "update"}}};
  const Outcome first = restore_all(cluster.client(), archive, script);
  ASSERT_EQ(first.last.items.outcomes.updated, 1);
  ASSERT_EQ(first.last.items.outcomes.unchanged, 1);

  // Everything was done, and nothing of how it ended was written down.
  for (const std::string& line : first.journal) {
    if (line.starts_with(R"(["intent")")) script.found_lines.push_back(line);
  }
  script.stored_plan = first.plan;
  const Outcome second = restore_all(cluster.client(), archive, script);

  EXPECT_EQ(second.last.items.outcomes, first.last.items.outcomes);
  EXPECT_EQ(second.resource_list, first.resource_list);
  EXPECT_EQ(second.results, first.results);
}

// A merge leaves the labels of a ServiceAccount alone, as in Velero; so does whoever finds it done.
TEST(Resume, LeavesAServiceAccountThatItHasMerged) {
  Json account = object_of("v1", "ServiceAccount", "shop", "clerk");
  account["imagePullSecrets"] = Json::array({{{"name", "registry"}}});
  const auto archive = archive_of(items_of({account}));
  TestCluster cluster;
  cluster.make_namespace("shop");
  cluster.make(object_of("v1", "ServiceAccount", "shop", "clerk"));
  Script script{.restore_spec = {{"existingResourcePolicy", "update"}}};
  const Outcome first = restore_all(cluster.client(), archive, script);
  ASSERT_EQ(first.last.items.outcomes.updated, 1);
  const auto before = cluster.versions();

  for (const std::string& line : first.journal) {
    if (line.starts_with(R"(["intent")")) script.found_lines.push_back(line);
  }
  script.stored_plan = first.plan;
  const Outcome second = restore_all(cluster.client(), archive, script);

  EXPECT_EQ(second.last.items.outcomes, first.last.items.outcomes);
  EXPECT_EQ(cluster.versions(), before);
}

TEST(Resume, RefusesAJournalThatIsAboutAnotherArchive) {
  const auto archive = archive_of(items_of({config_map("shop", "a")}));
  TestCluster cluster;
  const Script script{.found_lines = {R"(["item","configmaps","shop","b","created","created",true,"v1/ConfigMap"])"}};
  const auto outcome = try_restore(cluster.client(), archive, script);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), Code::kDataLoss);
  EXPECT_NE(outcome.error().message().find("line 1 of the journal"), std::string::npos) << outcome.error().message();
  EXPECT_NE(outcome.error().message().find("configmaps shop/b"), std::string::npos) << outcome.error().message();
  EXPECT_FALSE(cluster.find("namespaces", "", "shop"));
}

TEST(Resume, RefusesAPlanThatIsAboutAnotherArchive) {
  const auto archive = archive_of(items_of({config_map("shop", "a")}));
  TestCluster cluster;
  Script script;
  restore::Plan plan;
  plan.resources.push_back({.resource = {"", "configmaps"},
                            .version = "v1",
                            .kind = "ConfigMap",
                            .is_namespaced = true,
                            .groups = {{.original_namespace = "shop", .target_namespace = "shop", .names = {"b"}}}});
  script.stored_plan = plan;
  const auto outcome = try_restore(cluster.client(), archive, script);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), Code::kDataLoss);
  EXPECT_NE(outcome.error().message().find("configmaps shop/b"), std::string::npos) << outcome.error().message();
}

}  // namespace
}  // namespace landfall::restore_suite
