#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/test_run.h"
#include "cli_backup/commands.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using testing::HasSubstr;

const std::string kBucket = std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3";

TEST(BackupVerify, SaysThatABackupIsWholeAndWhatFailedWhenItWasMade) {
  const Ran ran = run_with(add_backup_command, {"backup", "verify", "bookshop", "--from", kBucket});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 item is listed by the backup but not in its archive:\n"
                                 "  v1/Pod bookshop/db-0: failed at backup time: "));
  EXPECT_THAT(ran.out, testing::EndsWith("Backup bookshop (PartiallyFailed, 69 items) is whole, as far as can be told "
                                         "without checksums\n"));
}

TEST(BackupVerify, NamesDamageAndFails) {
  const testkit::TempDir directory;
  std::filesystem::copy(kBucket, directory.path() / "store", std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(directory.path() / "store/backups/by-label/by-label.tar.gz", 500);
  const Ran ran =
      run_with(add_backup_command, {"backup", "verify", "by-label", "--from", (directory.path() / "store").string()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, HasSubstr("damaged: by-label.tar.gz: archive: gzip offset 500"));
  EXPECT_THAT(ran.err, HasSubstr("backup by-label is damaged"));
}

TEST(BackupVerify, PrintsJson) {
  const Ran ran = run_with(add_backup_command, {"backup", "verify", "by-label", "--from", kBucket, "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"isWhole\": true"));
}

TEST(BackupVerify, SaysWhatItCannotFind) {
  const Ran none = run_with(add_backup_command, {"backup", "verify", "nope", "--from", kBucket});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("there is no backup nope; there are: bookshop, by-label"));
  EXPECT_THAT(run_with(add_backup_command, {"backup", "verify", "nope", "--from", "gs://x"}).err,
              HasSubstr("expected s3://BUCKET"));
  EXPECT_THAT(run_with(add_backup_command, {"backup", "verify", "a", "--from", kBucket, "--storage-location", "x"}).err,
              HasSubstr("cannot both be given"));
}

}  // namespace
}  // namespace landfall::cli
