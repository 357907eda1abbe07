#include "sandbox_kinds/prepare.h"

#include <gtest/gtest.h>

#include "sandbox_kinds/defaults.h"
#include "sandbox_kinds/defaults_test_cases.h"

namespace landfall::sandbox {
namespace {

using json::Json;

Json deployment(int replicas, int generation) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", "web"}, {"generation", generation}, {"uid", "u"}}},
          {"spec", {{"replicas", replicas}}},
          {"status", {{"readyReplicas", 1}}}};
}

TEST(PrepareForUpdate, CountsChangesOfTheSpecOnly) {
  const KindInfo& kind = kind_named("Deployment");
  Json same = deployment(1, 0);
  same["metadata"]["labels"]["a"] = "b";
  prepare_for_update(kind, deployment(1, 4), same, false);
  EXPECT_EQ(same["metadata"]["generation"], 4);

  Json other = deployment(2, 0);
  prepare_for_update(kind, deployment(1, 4), other, false);
  EXPECT_EQ(other["metadata"]["generation"], 5);
}

TEST(PrepareForUpdate, KeepsStatusOnTheMainPathAndAllElseOnTheOther) {
  const KindInfo& kind = kind_named("Deployment");
  Json next = deployment(2, 1);
  next["status"] = {{"readyReplicas", 7}};
  Json through_main = next;
  prepare_for_update(kind, deployment(1, 1), through_main, false);
  EXPECT_EQ(through_main["status"]["readyReplicas"], 1);
  EXPECT_EQ(through_main["spec"]["replicas"], 2);

  prepare_for_update(kind, deployment(1, 1), next, true);
  EXPECT_EQ(next["status"]["readyReplicas"], 7);
  EXPECT_EQ(next["spec"]["replicas"], 1);
  EXPECT_EQ(next["metadata"]["generation"], 1);
}

TEST(PrepareForUpdate, StoresWhatARealServerStores) {
  for (const Json& test : read_cases("updates.json")) {
    if (!test.contains("result")) {
      continue;
    }
    Json next = test["next"];
    const KindInfo& kind = kind_of_object(next);
    set_defaults(kind, next);
    prepare_for_update(kind, test["old"], next, false);
    Json expected = test["result"];
    next["metadata"].erase("resourceVersion");  // the caller's
    expected["metadata"].erase("resourceVersion");
    EXPECT_EQ(json::dump(next), json::dump(expected));
  }
}

TEST(PrepareForCreate, LetsNoClientWriteWhatIsTheServers) {
  Json pod = {{"metadata", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}, {"generation", 9}}},
              {"status", {{"phase", "Running"}}}};
  prepare_for_create(kind_named("Pod"), pod);
  EXPECT_EQ(pod["metadata"], (Json{{"generation", 1}}));
  EXPECT_EQ(pod["status"], (Json{{"phase", "Pending"}, {"qosClass", "BestEffort"}}));
}

}  // namespace
}  // namespace landfall::sandbox
