// Backups in buckets of real S3 servers: what Velero wrote is read there, and what we write is whole.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "archive/archive_writer.h"
#include "bucket/artifact.h"
#include "bucket/verify.h"
#include "io/file.h"
#include "io/spool_file.h"
#include "json/json.h"
#include "real/s3_server.h"
#include "testkit/temp_dir.h"

namespace landfall::bucket {
namespace {

using extension::SpoolSource;
using testing::ElementsAre;

class BucketOnS3 : public testing::TestWithParam<const char*> {
 protected:
  VerifyReport verified(const std::string& name) {
    const auto report = verify(backups_, name, {.spool_directory = directory_.path()}, {});
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : VerifyReport();
  }

  const testkit::TempDir directory_;
  const S3Server server_{GetParam()};
  const std::unique_ptr<extension::ObjectStore> objects_ = server_.open().value();
  BackupStore backups_{*objects_, Layout::create("cluster-a").value()};
};

TEST_P(BucketOnS3, HoldsWhatVeleroWrote) {
  const std::filesystem::path tree = LANDFALL_SOURCE_DIR "/tests/data/velero-1.18.3";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = io::read_file(entry.path(), 1 << 20).value();
    const std::string key = "cluster-a/" + std::filesystem::relative(entry.path(), tree).string();
    ASSERT_TRUE(objects_->put(key, extension::BytesSource(bytes), {}, {})) << key;
  }
  EXPECT_TRUE(backups_.check_top_level({}));
  EXPECT_THAT(backups_.backups({}).value(), ElementsAre("bookshop", "by-label"));
  EXPECT_TRUE(verified("bookshop").is_whole());
  EXPECT_EQ(verified("bookshop").items, 69);
  EXPECT_THAT(backups_.restores({}).value(), ElementsAre("mapped", "plain", "selector"));
  for (const char* name : {"bookshop", "by-label"}) EXPECT_TRUE(backups_.remove_backup(name, {}));
  EXPECT_THAT(backups_.backups({}).value(), testing::IsEmpty());
}

// 20 MiB that do not compress: several parts.
TEST_P(BucketOnS3, HoldsALargeBackupOfOurs) {
  auto spool = io::SpoolFile::create(directory_.path()).value();
  archive::ArchiveWriter writer(spool, WallTime{});
  SeededRandom random(1);
  json::Json names = json::Json::array();
  for (int i = 0; i < 20; ++i) {
    const std::string name = "c" + std::to_string(i);
    std::string noise;
    while (noise.size() < 1 << 20) noise += static_cast<char>('!' + random.uniform(90));
    const json::Json object = {{"apiVersion", "v1"},
                               {"kind", "ConfigMap"},
                               {"metadata", {{"name", name}, {"namespace", "shop"}}},
                               {"data", {{"noise", noise}}}};
    ASSERT_TRUE(writer.add({{"", "configmaps"}, "v1", true, "shop", name}, object.dump()));
    names.push_back("shop/" + name);
  }
  ASSERT_TRUE(writer.close());
  ASSERT_TRUE(spool.close());
  ASSERT_GT(spool.size(), 20U << 20U);
  const std::string list = encode({{"v1/ConfigMap", names}}, Form::kGzipJson);
  const json::Json backup = {{"apiVersion", "velero.io/v1"},
                             {"kind", "Backup"},
                             {"metadata", {{"name", "large"}}},
                             {"status", {{"phase", "Completed"}}}};
  const SpoolSource contents(spool);
  const extension::BytesSource resources(list);
  const Status created = backups_.create(
      "large", backup, {{BackupArtifact::kContents, contents}, {BackupArtifact::kResourceList, resources}}, {});
  ASSERT_TRUE(created) << created.error().message();
  const VerifyReport report = verified("large");
  EXPECT_TRUE(report.is_whole());
  EXPECT_TRUE(report.has_checksums);
  EXPECT_EQ(report.items, 20);
  EXPECT_EQ(backups_.create("large", backup, {}, {}).error().code(), Code::kAlreadyExists);
  EXPECT_TRUE(backups_.remove_backup("large", {}));
}

INSTANTIATE_TEST_SUITE_P(Real, BucketOnS3, testing::Values("LANDFALL_REAL_MINIO", "LANDFALL_REAL_VERSITYGW"),
                         [](const auto& instance) {
                           return std::string(instance.param).find("MINIO") != std::string::npos ? "MinIO"
                                                                                                 : "versitygw";
                         });

}  // namespace
}  // namespace landfall::bucket
