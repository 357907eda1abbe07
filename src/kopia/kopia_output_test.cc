#include "kopia/kopia_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::kopia {
namespace {

constexpr ByteCount kTotal{450'000'003};

TEST(KopiaOutput, AmountsAreRoundedSoTheLeastIsTaken) {
  EXPECT_EQ(parse_restored("Processed 2 (91.2 MB) of 12 (450 MB).", kTotal), ByteCount(91'150'000));
  EXPECT_EQ(parse_restored("Processed 1 (3 B) of 1 (3 B).", ByteCount(3)), ByteCount(3));
  EXPECT_EQ(parse_restored("Processed 7 (1.5 GB) of 9 (3 GB), skipped 1 (2 KB), ignored 3 errors.", ByteCount(99)),
            ByteCount(99));
}

TEST(KopiaOutput, ThePercentageSaysMoreOnceAllFilesAreFound) {
  EXPECT_EQ(parse_restored("Processed 9 (1.2 TB) of 99 (4 TB) 256.6 MB/s (30.5%) remaining 3h2m1s.",
                           ByteCount(4'000'000'000'000)),
            ByteCount(1'220'000'000'000));
  // A part of the files only.
  EXPECT_EQ(parse_restored("Processed 9 (1.2 TB) of 50 (2 TB) 256.6 MB/s (60.5%) remaining 3h2m1s.",
                           ByteCount(4'000'000'000'000)),
            ByteCount(1'150'000'000'000));
}

TEST(KopiaOutput, NeverMoreThanTheTotal) {
  EXPECT_EQ(parse_restored("Processed 13 (450 MB) of 12 (450 MB) 257.9 MB/s (100.0%) remaining 0s.", kTotal), kTotal);
  EXPECT_EQ(parse_restored("Processed 13 (999 EB) of 12 (999 EB) 1 B/s (999.9%) remaining 0s.", kTotal), kTotal);
  EXPECT_EQ(parse_restored("Processed 13 (450 MB) of 12 (450 MB).", ByteCount(0)), ByteCount(0));
}

TEST(KopiaOutput, WhatIsNoProgressIsNone) {
  for (const char* const said :
       {"", "Processed ", "Processed 1 (", "Processed 1 (x MB) of 2 (3 MB).", "Processed 1 (1 XB) of 2 (3 MB).",
        "Processed 1 (99999999999999999999 MB) of 2 (3 MB).", "Processed 1 (1.23 MB) of 2 (3 MB).",
        "Processed 1 (1 MB)", "Restored 10 files, 2 directories and 1 symbolic links (450 MB)."}) {
    EXPECT_FALSE(parse_restored(said, kTotal)) << said;
  }
}

TEST(KopiaOutput, AnErrorStandsBehindTheProgressWithoutASpace) {
  EXPECT_EQ(without_progress("Processed 2 (21.2 MB) of 12 (450 MB).error restoring: write f1: no space left"),
            "error restoring: write f1: no space left");
  EXPECT_EQ(without_progress("Processed 2 (21.2 MB) of 12 (450 MB) 1.5 MB/s (86.5%) remaining 0s.   "), "");
  EXPECT_EQ(without_progress("Processed 2 (21.2 MB)"), "");
  EXPECT_EQ(without_progress("error x"), "error x");
}

TEST(KopiaOutput, TheManifestHasTheSizeOfAllFiles) {
  EXPECT_EQ(parse_snapshot_size("// id: 4d5b\n// label type:snapshot\n{\n \"stats\": {\"totalSize\": 1},\n"
                                " \"rootEntry\": {\"type\": \"d\",\"summ\": {\"size\": 450000003}}\n}"),
            kTotal);
  EXPECT_EQ(parse_snapshot_size(R"({"rootEntry":{"type":"f","size":5}})"), ByteCount(5));
  for (const char* const printed : {"", "{", "// id: 4\n{\"policy\":{}}", R"({"rootEntry":{"summ":{"size":-1}}})"}) {
    EXPECT_FALSE(parse_snapshot_size(printed)) << printed;
  }
}

}  // namespace
}  // namespace landfall::kopia
