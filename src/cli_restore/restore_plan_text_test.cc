#include "cli_restore/restore_plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::cli {
namespace {

using restore::Plan;
using restore::PlannedGroup;
using restore::PlannedResource;
using restore::Prediction;
using testing::HasSubstr;
using testing::Not;

Plan shop() {
  Plan plan{.restore = "r", .restore_uid = "u", .backup = "nightly", .items_in_backup = 9, .total_of_backup = 10};
  plan.namespaces.push_back({.name = "shop2", .original = "shop", .is_in_backup = true});
  plan.resources.push_back({.resource = {"", "persistentvolumes"},
                            .version = "v1",
                            .kind = "PersistentVolume",
                            .groups = {{"", "", {"pv-1"}}}});
  PlannedResource pods{.resource = {"", "pods"}, .version = "v1", .kind = "Pod", .is_namespaced = true};
  pods.groups.push_back({"shop", "shop2", {"web", "db"}});
  pods.groups.push_back({"other", "other", {"one"}});
  plan.resources.push_back(pods);
  plan.not_selected.push_back({{"", "events"}, "shop", "ResourceExcluded", {"e1", "e2"}});
  plan.not_selected.push_back({{"", "pods"}, "kube-system", "NamespaceExcluded", {"dns"}});
  return plan;
}

TEST(PlanText, ShowsTotalsByResourceAndNamespaceWithTargets) {
  const std::string text = plan_text(shop(), {});
  EXPECT_THAT(text, HasSubstr("Restore of backup nightly: 5 items to restore; 9 items in the backup, 3 of them not "
                              "selected (the backup counts 10: the others failed when it was made)\n"));
  EXPECT_THAT(text, HasSubstr("Namespaces that are made:\n  shop2, with the labels and annotations of shop\n"));
  EXPECT_THAT(text, HasSubstr("persistentvolumes   1       <cluster>\n"));
  EXPECT_THAT(text, HasSubstr("pods                3       \n"
                              "                    2       shop → shop2\n"
                              "                    1       other\n"));
  EXPECT_THAT(text, HasSubstr("Not selected: 3 items\n"));
  EXPECT_THAT(text, HasSubstr("ResourceExcluded    events     2\n"));
  EXPECT_THAT(text, Not(HasSubstr("shop2/web")));
}

TEST(PlanText, ListsEveryItemWithDetails) {
  const std::string text = plan_text(shop(), {.details = true});
  EXPECT_THAT(text, HasSubstr("  persistentvolumes pv-1\n  pods shop2/web\n  pods shop2/db\n  pods other/one\n"));
  EXPECT_THAT(text, HasSubstr("  pods kube-system/dns: NamespaceExcluded\n"));
}

TEST(PlanText, SaysWhatWouldBecomeOfTheItemsInAPreview) {
  Plan plan = shop();
  plan.is_preview = true;
  plan.resources[0].groups[0].forecasts = {{Prediction::kSkip, "a volume without data"}};
  plan.resources[1].groups[0].forecasts = {{Prediction::kCreate, ""}, {Prediction::kConflict, "it differs"}};
  plan.resources[1].groups[1].forecasts = {{Prediction::kUnchanged, ""}};
  const std::string text = plan_text(plan, {});
  EXPECT_THAT(text, HasSubstr("Preview of backup nightly"));
  EXPECT_THAT(text, HasSubstr("CREATE   UPDATE   UNCHANGED   CONFLICT   SKIP   FAIL\n"));
  EXPECT_THAT(text,
              HasSubstr("pods                3                      1        -        1           1          -  "));
  EXPECT_THAT(text, HasSubstr("Would not be restored as the backup has it:\n"
                              "  persistentvolumes pv-1: skip: a volume without data\n"
                              "  pods shop2/db: conflict: it differs\n"));
}

TEST(PlanText, LetsNoNameReachTheTerminal) {
  Plan plan = shop();
  plan.backup = "a\x1b[2J";
  plan.resources[1].groups[0].names[0] = "w\x1b[31m";
  EXPECT_THAT(plan_text(plan, {.details = true}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace landfall::cli
