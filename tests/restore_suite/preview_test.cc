#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using json::Json;
using restore::Prediction;
using ::testing::HasSubstr;

// "configmaps shop/a" to what is foreseen.
std::map<std::string, restore::PlannedGroup::Forecast> forecasts(const restore::Plan& plan) {
  std::map<std::string, restore::PlannedGroup::Forecast> all;
  for (const restore::PlannedResource& resource : plan.resources) {
    for (const restore::PlannedGroup& group : resource.groups) {
      EXPECT_EQ(group.names.size(), group.forecasts.size());
      for (std::size_t i = 0; i < group.names.size() && i < group.forecasts.size(); ++i) {
        all[to_string(resource.resource) + " " + group.target_namespace + "/" + group.names[i]] = group.forecasts[i];
      }
    }
  }
  return all;
}

Json clerk() { return with_annotation(object_of("v1", "ServiceAccount", "shop", "clerk"), "from", "backup"); }

archive::SpooledArchive mixed_archive() {
  Json book = object_of("library.example.com/v1", "Book", "shop", "typee");
  return archive_of(
      items_of({config_map("shop", "new"), config_map("shop", "same"), config_map("shop", "other", "backup's"), clerk(),
                definition("books", "Book"), book, object_of("example.com/v1", "Widget", "shop", "saw"),
                volume("disk", "shop", "data", "Delete"), claim("shop", "data", "disk"),
                object_of("apps/v1beta1", "Deployment", "shop", "old"), config_map("annex", "a")}));
}

void set_up(TestCluster& cluster) {
  cluster.make_namespace("shop");
  cluster.make(config_map("shop", "same"));
  cluster.make(config_map("shop", "other", "somebody's"));
  cluster.make(object_of("v1", "ServiceAccount", "shop", "clerk"));
}

TEST(Preview, ForeseesWhatBecomesOfEveryItemAndChangesNothing) {
  TestCluster cluster;
  set_up(cluster);
  const auto before = cluster.versions();
  const restore::Plan plan = preview(cluster.client(), mixed_archive(), {});
  EXPECT_EQ(cluster.versions(), before);

  EXPECT_TRUE(plan.is_preview);
  auto seen = forecasts(plan);
  EXPECT_EQ(seen.size(), 11U);
  EXPECT_EQ(seen.at("configmaps shop/new").prediction, Prediction::kCreate);
  EXPECT_EQ(seen.at("configmaps shop/same").prediction, Prediction::kUnchanged);
  EXPECT_EQ(seen.at("configmaps shop/other").prediction, Prediction::kConflict);
  EXPECT_THAT(seen.at("configmaps shop/other").reason, HasSubstr("data.key"));
  EXPECT_EQ(seen.at("serviceaccounts shop/clerk").prediction, Prediction::kUpdate);
  EXPECT_EQ(seen.at("books.library.example.com shop/typee").prediction, Prediction::kCreate)
      << seen.at("books.library.example.com shop/typee").reason;
  EXPECT_EQ(seen.at("widgets.example.com shop/saw").prediction, Prediction::kSkip);
  EXPECT_EQ(seen.at("persistentvolumes /disk").prediction, Prediction::kSkip);
  EXPECT_THAT(seen.at("persistentvolumes /disk").reason, HasSubstr("reclaim policy is Delete"));
  EXPECT_EQ(seen.at("persistentvolumeclaims shop/data").prediction, Prediction::kCreate);
  EXPECT_EQ(seen.at("deployments.apps shop/old").prediction, Prediction::kFail);
  EXPECT_EQ(seen.at("configmaps annex/a").prediction, Prediction::kCreate);
  ASSERT_EQ(plan.namespaces.size(), 1U);
  EXPECT_EQ(plan.namespaces[0].name, "annex");
}

TEST(Preview, ForeseesOverwritingWhereItIsAllowed) {
  TestCluster cluster;
  set_up(cluster);
  const auto before = cluster.versions();
  Script script{.restore_spec = {{"existingResourcePolicy", "update"}}};
  const auto seen = forecasts(preview(cluster.client(), mixed_archive(), script));
  EXPECT_EQ(cluster.versions(), before);
  EXPECT_EQ(seen.at("configmaps shop/other").prediction, Prediction::kUpdate);
  EXPECT_EQ(seen.at("configmaps shop/same").prediction, Prediction::kUnchanged);
}

TEST(Preview, ItemsThatOthersAskForJoinThePlan) {
  TestCluster cluster;
  const auto archive =
      archive_of(items_of({with_label(pod("shop", "web", {"data"}), "take", "yes"), claim("shop", "data", "disk"),
                           volume("disk", "shop", "data"), config_map("shop", "left")}));
  Script script{.restore_spec = {{"labelSelector", {{"matchLabels", {{"take", "yes"}}}}}}};
  const restore::Plan plan = preview(cluster.client(), archive, script);
  const auto seen = forecasts(plan);
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen.at("persistentvolumeclaims shop/data").prediction, Prediction::kCreate);
  EXPECT_EQ(seen.at("persistentvolumes /disk").prediction, Prediction::kCreate);
  EXPECT_EQ(plan.not_selected_total(), 1);
  EXPECT_EQ(plan.total(), 3 + 1);
}

// A preview is only worth what the restore then does.
TEST(Preview, IsWhatTheRestoreThenDoes) {
  TestCluster cluster;
  set_up(cluster);
  const auto archive = mixed_archive();
  std::map<Prediction, int> foreseen;
  for (const auto& [key, forecast] : forecasts(preview(cluster.client(), archive, {}))) ++foreseen[forecast.prediction];
  const Outcome outcome = restore_all(cluster.client(), archive, {});
  const progress::OutcomeCounts& counts = outcome.last.items.outcomes;
  EXPECT_EQ(counts.created, foreseen[Prediction::kCreate] + 1) << "with the namespace";
  EXPECT_EQ(counts.updated, foreseen[Prediction::kUpdate]);
  EXPECT_EQ(counts.unchanged, foreseen[Prediction::kUnchanged]);
  EXPECT_EQ(counts.skipped, foreseen[Prediction::kSkip] + foreseen[Prediction::kConflict]);
  EXPECT_EQ(counts.failed, foreseen[Prediction::kFail]);
}

}  // namespace
}  // namespace landfall::restore_suite
