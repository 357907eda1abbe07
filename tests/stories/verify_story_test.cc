#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/names.h"
#include "stories/rehearsal.h"

namespace landfall::stories {
namespace {

using json::Json;
using testing::HasSubstr;

class VerifyStory : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(LANDFALL_SOURCE_DIR "/tests/data/velero-1.18.3", user_.directory().path() / "bucket",
                          std::filesystem::copy_options::recursive);
  }
  void add_location(const std::string& name, bool is_default) {
    const Json spec = {{"provider", "filesystem"},
                       {"default", is_default},
                       {"config", {{"path", user_.directory().path().string()}}},
                       {"objectStorage", {{"bucket", "bucket"}}}};
    user_.create(api::kBackupStorageLocation.resource(), "velero",
                 {{"apiVersion", "velero.io/v1"},
                  {"kind", "BackupStorageLocation"},
                  {"metadata", {{"name", name}}},
                  {"spec", spec}});
  }
  Rehearsal user_;
};

TEST_F(VerifyStory, TheClusterKnowsWhereABackupIs) {
  add_location("shelf", false);
  user_.create(api::kBackup.resource(), "velero",
               {{"apiVersion", "velero.io/v1"},
                {"kind", "Backup"},
                {"metadata", {{"name", "bookshop"}}},
                {"spec", {{"storageLocation", "shelf"}}}});
  const cli::Ran ran = user_.landfall({"backup", "verify", "bookshop"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("69 items) is whole"));
}

TEST_F(VerifyStory, ABackupOfAnotherClusterIsInTheDefaultLocation) {
  add_location("shelf", false);
  add_location("default", true);
  EXPECT_EQ(user_.landfall({"backup", "verify", "by-label"}).code, 0);
}

TEST_F(VerifyStory, WithoutALocationItSaysWhatToGive) {
  const cli::Ran ran = user_.landfall({"backup", "verify", "bookshop"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("name one with --storage-location, or the bucket with --from"));
  EXPECT_THAT(user_.landfall({"backup", "verify", "bookshop", "--storage-location", "x"}).err,
              HasSubstr("backup storage location \"x\": "));
}

}  // namespace
}  // namespace landfall::stories
