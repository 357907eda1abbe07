#include "location/bucket_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bucket/backup_store.h"
#include "store/memory_store.h"

namespace landfall::location {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BucketRecordsTest : public testing::Test {
 protected:
  std::unique_ptr<BucketRecords> records(const std::string& restore, const std::string& uid) {
    return BucketRecords::create(*store_, layout_, restore, uid).value();
  }

  std::unique_ptr<extension::ObjectStore> store_ = store::make_memory_store();
  const bucket::Layout layout_ = bucket::Layout::create("prefix").value();
};

TEST_F(BucketRecordsTest, KeepsRecordsBesideTheFilesOfTheRestore) {
  const auto mine = records("r1", "u1");
  EXPECT_TRUE(mine->put("b", "second", {}));
  EXPECT_TRUE(mine->put("a", "first", {}));
  EXPECT_TRUE(mine->put("b", "third", {}));
  EXPECT_TRUE(store_->exists("prefix/restores/r1/journal/u1/a", {}).value());
  EXPECT_THAT(records("r1", "u1")->list({}).value(), ElementsAre("a", "b"));
  EXPECT_EQ(mine->get("b", {}).value(), "third");
  EXPECT_TRUE(mine->remove("a", {}));
  EXPECT_TRUE(mine->remove("a", {}));
  EXPECT_EQ(mine->get("a", {}).error().code(), Code::kNotFound);
  EXPECT_THAT(mine->list({}).value(), ElementsAre("b"));
}

TEST_F(BucketRecordsTest, NeverFindsThoseOfAnotherRestoreAndGoesWithItsFolder) {
  EXPECT_TRUE(records("r1", "u1")->put("a", "x", {}));
  EXPECT_TRUE(records("r1", "u10")->put("b", "x", {}));
  EXPECT_TRUE(records("r2", "u1")->put("c", "x", {}));
  EXPECT_THAT(records("r1", "u1")->list({}).value(), ElementsAre("a"));
  bucket::BackupStore backups(*store_, layout_);
  EXPECT_THAT(backups.restores({}).value(), ElementsAre("r1", "r2"));
  EXPECT_TRUE(backups.remove_restore("r1", {}));
  EXPECT_THAT(records("r1", "u1")->list({}).value(), IsEmpty());
  EXPECT_THAT(records("r2", "u1")->list({}).value(), ElementsAre("c"));
}

TEST_F(BucketRecordsTest, RefusesWhatCanBeNoRestore) {
  EXPECT_FALSE(BucketRecords::create(*store_, layout_, "../x", "u1"));
  const auto records = BucketRecords::create(*store_, layout_, "r1", "../../r2/journal/u");
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code(), Code::kInvalid);
  EXPECT_THAT(records.error().message(), HasSubstr("restore r1: UID "));
}

}  // namespace
}  // namespace landfall::location
