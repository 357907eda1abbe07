#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_run.h"
#include "cli_admin/commands.h"
#include "io/file.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using testing::HasSubstr;

const std::string kBookshop =
    std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz";

TEST(ArchiveInspect, ListsWhatAVeleroArchiveHolds) {
  const Ran ran = run_with(add_archive_command, {"archive", "inspect", kBookshop});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("RESOURCE"));
  EXPECT_THAT(ran.out, HasSubstr("\npersistentvolumeclaims "));
  EXPECT_THAT(ran.out, HasSubstr("69 items, "));
  EXPECT_THAT(ran.out, HasSubstr("format 1.1.0\n"));
  EXPECT_EQ(ran.err, "");
}

TEST(ArchiveInspect, DrawsProgressOnATerminalAndTakesItAway) {
  const Ran ran = run_with(add_archive_command, {"archive", "inspect", kBookshop},
                           {.terminal = {.is_terminal = true, .columns = 100}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("18.6 KiB"));
  EXPECT_THAT(ran.err, testing::EndsWith("\r\x1b[K"));
}

TEST(ArchiveInspect, PrintsJson) {
  const Ran ran = run_with(add_archive_command, {"archive", "inspect", "-o", "json", kBookshop});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"formatVersion\": \"1.1.0\""));
  EXPECT_THAT(ran.out, HasSubstr("\"items\": 69"));
}

TEST(ArchiveInspect, NamesAFileThatIsNotThere) {
  const Ran ran = run_with(add_archive_command, {"archive", "inspect", "/nowhere/a.tar.gz"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere/a.tar.gz: No such file or directory"));
}

TEST(ArchiveInspect, SaysThatAnArchiveIsDamagedAndWhere) {
  const testkit::TempDir dir;
  const std::string whole = io::read_file(kBookshop, 1 << 20).value();
  const auto cut = dir.write("cut.tar.gz", std::string_view(whole).substr(0, 9000));
  const Ran ran = run_with(add_archive_command, {"archive", "inspect", cut.string()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("cut.tar.gz: archive: "));
  EXPECT_THAT(ran.err, HasSubstr("9000"));
}

TEST(ArchiveInspect, AsksForTheFile) {
  const Ran ran = run_with(add_archive_command, {"archive", "inspect"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("FILE is required"));
}

}  // namespace
}  // namespace landfall::cli
