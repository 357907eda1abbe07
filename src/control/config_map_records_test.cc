#include "control/config_map_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/test_cluster.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class ConfigMapRecordsTest : public testing::Test {
 protected:
  // Those of records; the world has one of its own in every namespace.
  std::vector<Json> config_maps() { return maps_.list({.label_selector = "landfall.dev/record"}, {}).value().items; }
  ConfigMapRecords records_of(const Json& restore) { return {cluster_.client(), "velero", restore}; }
  Json restore(const std::string& name) {
    return cluster_.create(api::kRestore, {{"metadata", {{"name", name}}}, {"spec", {{"backupName", "b1"}}}});
  }

  TestCluster cluster_;
  const kube::Resource maps_{cluster_.client(), {"", "v1", "configmaps"}, "velero"};
  const Json restore_ = restore("r1");
  ConfigMapRecords records_ = records_of(restore_);
};

TEST_F(ConfigMapRecordsTest, KeepsRecordsThatBelongToTheRestore) {
  EXPECT_TRUE(records_.put("b", "second", {}));
  EXPECT_TRUE(records_.put("a", std::string("fi\0rst", 6), {}));
  EXPECT_TRUE(records_.put("b", "third", {}));
  EXPECT_TRUE(records_of(restore("r2")).put("c", "other", {}));
  EXPECT_THAT(records_of(restore_).list({}).value(), ElementsAre("a", "b"));
  EXPECT_EQ(records_.get("a", {}).value(), std::string("fi\0rst", 6));
  EXPECT_EQ(records_.get("b", {}).value(), "third");
  EXPECT_EQ(records_.get("c", {}).error().code(), Code::kNotFound);
  const Json one = maps_.get("landfall-" + std::string(k8s::ObjectView(restore_).uid()) + "-a", {}).value();
  const auto owners = k8s::ObjectView(one).owner_references();
  ASSERT_THAT(owners, SizeIs(1));
  EXPECT_EQ(owners[0].kind, "Restore");
  EXPECT_EQ(owners[0].uid, k8s::ObjectView(restore_).uid());
  EXPECT_EQ(k8s::ObjectView(one).labels().get("velero.io/exclude-from-backup"), "true");
  EXPECT_TRUE(records_.remove("a", {}));
  EXPECT_TRUE(records_.remove("a", {}));
  EXPECT_THAT(records_.list({}).value(), ElementsAre("b"));
  EXPECT_TRUE(records_of(restore_).remove("b", {}));
  EXPECT_THAT(config_maps(), SizeIs(1));
}

TEST_F(ConfigMapRecordsTest, SpreadsALargeRecordAndLeavesNothingOfIt) {
  const std::string large = std::string(400'000, 'a') + std::string(400'000, 'b');
  EXPECT_TRUE(records_.put("large", large, {}));
  EXPECT_THAT(config_maps(), SizeIs(2));
  EXPECT_THAT(records_.list({}).value(), ElementsAre("large"));
  EXPECT_EQ(records_.get("large", {}).value(), large);
  EXPECT_TRUE(records_.put("large", large + "c", {}));
  EXPECT_THAT(config_maps(), SizeIs(2));
  EXPECT_EQ(records_.get("large", {}).value(), large + "c");
  EXPECT_TRUE(records_.remove("large", {}));
  EXPECT_THAT(config_maps(), IsEmpty());
}

TEST_F(ConfigMapRecordsTest, SaysWhichOneIsNotWhole) {
  const std::string large(800'000, 'a');
  ASSERT_TRUE(records_.put("large", large, {}));
  for (const Json& one : config_maps()) {
    const std::string name(k8s::ObjectView(one).name());
    if (!name.ends_with(".1")) continue;
    ASSERT_TRUE(maps_.remove(name, {}));
    const auto missing = records_.get("large", {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code(), Code::kDataLoss);
    EXPECT_THAT(missing.error().message(), testing::AllOf(StartsWith("config map landfall-"), HasSubstr(name)));
    Json damaged = one;
    damaged["binaryData"]["content"] = "YQ==";
    damaged["metadata"].erase("resourceVersion");
    damaged["metadata"].erase("uid");
    ASSERT_TRUE(maps_.create(damaged, {}));
  }
  const auto damaged = records_.get("large", {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code(), Code::kDataLoss);
  EXPECT_THAT(damaged.error().message(), HasSubstr("the content is not what was written"));
}

TEST_F(ConfigMapRecordsTest, RefusesWhatCanBeNoName) {
  for (const char* const name : {"", "A", "a/b", "a b", "-a"}) {
    const Status put = records_.put(name, "x", {});
    ASSERT_FALSE(put) << name;
    EXPECT_EQ(put.error().code(), Code::kInvalid);
  }
}

}  // namespace
}  // namespace landfall::control
