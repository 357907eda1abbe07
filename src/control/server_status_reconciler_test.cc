#include "control/server_status_reconciler.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "control/test_cluster.h"
#include "json/json.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::seconds;

struct ServerStatusTest : ::testing::Test {
  Result<kube::Reconciled> reconcile() {
    const Context& given = cluster.context();
    const Context context{given.client, given.name_space, clock,         given.random,
                          given.log,    given.locations,  given.running, given.metrics};
    ServerStatusReconciler reconciler(context,
                                      {.server_version = "v1.18.3+landfall.1",
                                       .plugins = {{"velero.io/pod", "BackupItemAction"}, {"s3", "ObjectStore"}}});
    return reconciler.reconcile({"velero", "ask"}, {});
  }

  TestCluster cluster;
  ManualClock clock;
};

TEST_F(ServerStatusTest, AnswersWithItsVersionAndItsPlugins) {
  cluster.create(api::kServerStatusRequest, {{"metadata", {{"name", "ask"}}}});
  EXPECT_EQ(reconcile().value().again_after, seconds(60));
  EXPECT_EQ(cluster.get(api::kServerStatusRequest, "ask")["status"],
            Json::parse(R"({"phase": "Processed", "processedTimestamp": "2030-01-01T00:00:00Z",
                            "serverVersion": "v1.18.3+landfall.1",
                            "plugins": [{"name": "velero.io/pod", "kind": "BackupItemAction"},
                                        {"name": "s3", "kind": "ObjectStore"}]})"));
}

TEST_F(ServerStatusTest, RemovesAnAnswerAfterAMinuteAndNotBefore) {
  cluster.create(api::kServerStatusRequest, {{"metadata", {{"name", "ask"}}}});
  ASSERT_TRUE(reconcile());
  clock.advance(seconds(59));
  EXPECT_EQ(reconcile().value().again_after, seconds(1));
  clock.advance(seconds(1));
  EXPECT_EQ(reconcile().value().again_after, std::nullopt);
  EXPECT_EQ(cluster.objects(api::kServerStatusRequest).get("ask", {}).error().code(), Code::kNotFound);
  EXPECT_TRUE(reconcile());
}

}  // namespace
}  // namespace landfall::control
