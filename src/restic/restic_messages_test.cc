#include "restic/restic_messages.h"

#include <gtest/gtest.h>

#include "restic/restic_version.h"

namespace landfall::restic {
namespace {

template <class T>
T parsed(std::string_view line) {
  const Message message = parse_message(line);
  const T* found = std::get_if<T>(&message);
  if (found == nullptr) throw std::runtime_error("another kind of message");
  return *found;
}

TEST(ResticMessages, AStatusHasNothingDoneWhileItScans) {
  const auto scanning =
      parsed<StatusMessage>(R"({"message_type":"status","percent_done":0,"total_files":1,"total_bytes":3000000})");
  EXPECT_EQ(scanning.total, ByteCount(3'000'000));
  EXPECT_FALSE(scanning.done);
  const auto under_way = parsed<StatusMessage>(
      R"({"message_type":"status","percent_done":0.16,"total_files":3,"total_bytes":9000000,"bytes_done":1444265,"current_files":["/f1","/f2"]})");
  EXPECT_EQ(under_way.done, ByteCount(1'444'265));
  EXPECT_EQ(under_way.current, "/f1");
  EXPECT_EQ(under_way.total_files, 3);
  EXPECT_EQ(under_way.files_done, 0);
}

TEST(ResticMessages, ARestoreCountsWhatItRestored) {
  const auto status = parsed<StatusMessage>(
      R"({"message_type":"status","seconds_elapsed":1,"percent_done":0.5,"total_files":4,"files_restored":1,"total_bytes":10,"bytes_restored":5})");
  EXPECT_EQ(status.done, ByteCount(5));
  EXPECT_EQ(status.total, ByteCount(10));
}

TEST(ResticMessages, ASummaryNamesTheSnapshotOfOldAndNewReleases) {
  const auto old = parsed<SummaryMessage>(
      R"({"message_type":"summary","data_added":9002031,"total_bytes_processed":9000000,"snapshot_id":"3200fbc1"})");
  EXPECT_EQ(old.snapshot, "3200fbc1");
  EXPECT_EQ(old.total, ByteCount(9'000'000));
  EXPECT_EQ(old.added, ByteCount(9'002'031));
  const auto fresh = parsed<SummaryMessage>(
      R"({"message_type":"summary","data_added":9001879,"data_added_packed":70,"total_bytes_processed":9000000,"snapshot_id":"b10c5b86"})");
  EXPECT_EQ(fresh.added, ByteCount(70));
}

TEST(ResticMessages, AnErrorNamesFileAndReasonInOldAndNewReleases) {
  const auto old = parsed<ItemMessage>(
      R"({"message_type":"error","error":{"Op":"open","Path":"f2","Err":13},"during":"archival","item":"/v/f2"})");
  EXPECT_EQ(old.item, "/v/f2");
  EXPECT_EQ(old.what, "open: Permission denied");
  const auto fresh = parsed<ItemMessage>(
      R"({"message_type":"error","error":{"message":"open f2: permission denied"},"during":"archival","item":"/v/f2"})");
  EXPECT_EQ(fresh.what, "open f2: permission denied");
  EXPECT_EQ(parsed<ExitMessage>(R"({"message_type":"exit_error","code":12,"message":"Fatal: no"})").what, "Fatal: no");
}

TEST(ResticMessages, AnErrorWithoutAReasonHasOneAllTheSame) {
  const auto item = parsed<ItemMessage>(R"({"message_type":"error","error":{},"during":"archival","item":"/v/f2"})");
  EXPECT_EQ(item.item, "/v/f2");
  EXPECT_EQ(item.what, "could not be read");
}

// What is gone or closed to restic while it only counts is read, or complained of, later.
TEST(ResticMessages, AnErrorOfTheScanIsNotAboutTheSnapshot) {
  EXPECT_TRUE(std::holds_alternative<OtherMessage>(parse_message(
      R"({"message_type":"error","error":{"Op":"lstat","Path":"f2","Err":2},"during":"scan","item":"/v/f2"})")));
}

TEST(ResticMessages, WhatIsCutOrStrangeIsPassedOver) {
  for (const char* const line : {"", "{", R"({"message_type":"status","percent)", "Fatal: x", "[1]", "{}",
                                 R"({"message_type":7})", R"({"message_type":"verbose_status"})", "{\xff}"}) {
    EXPECT_TRUE(std::holds_alternative<OtherMessage>(parse_message(line))) << line;
  }
  const auto strange =
      parsed<StatusMessage>(R"({"message_type":"status","total_bytes":"many","bytes_done":-5,"current_files":"x"})");
  EXPECT_FALSE(strange.total);
  EXPECT_FALSE(strange.done);
  EXPECT_EQ(strange.current, "");
}

TEST(ResticVersion, IsReadAndComparedWithWhatItCanDo) {
  const auto debian = parse_version("restic 0.14.0 compiled with go1.19.8 on linux/amd64\n");
  ASSERT_TRUE(debian) << debian.error().message();
  EXPECT_EQ(to_string(*debian), "0.14.0");
  EXPECT_FALSE(debian->reports_restores());
  const auto fresh = parse_version("restic 0.18.1-dev (compiled manually)");
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(fresh->reports_restores());
}

TEST(ResticVersion, ThatIsTooOldOrNoneSaysSo) {
  const auto old = parse_version("restic 0.9.6 compiled with go1.12");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code(), Code::kUnsupported);
  EXPECT_EQ(old.error().message(), "restic 0.9.6 is too old: install 0.14.0 or newer");
  for (const char* const text : {"", "restic", "restic x.y.z", "restic 0.14", "kopia 0.22.3", "restic 99999.1.1"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(ResticMessages, AnAttemptThatFailedSaysWhyInOldAndNewReleases) {
  EXPECT_EQ(parsed<RetryMessage>("Save(<data/adeed1842c>) returned error, retrying after 552.330144ms: rename /r/a: no "
                                 "such file or directory")
                .what,
            "rename /r/a: no such file or directory");
  EXPECT_EQ(parsed<RetryMessage>("Load(<snapshot/aaaaaaaaaa>, 0, 0) failed: open /r/b: no such file or directory").what,
            "open /r/b: no such file or directory");
  EXPECT_EQ(
      parsed<RetryMessage>("List(lock) returned error, retrying after 979ms: open /r/locks: not a directory").what,
      "open /r/locks: not a directory");
  for (const char* const line :
       {"Save(<data/adeed1842c>) operation successful after 3 retries", "(<x>) failed: y", "Fatal: a(<b>) failed: c"}) {
    EXPECT_TRUE(std::holds_alternative<OtherMessage>(parse_message(line))) << line;
  }
}

TEST(ResticMessages, WhatIsInASnapshotHasAPathAndFilesASize) {
  const auto file = parsed<NodeMessage>(
      R"({"name":"big","type":"file","path":"/a\nb/big","size":400000000,"mode":420,"struct_type":"node"})");
  EXPECT_EQ(file.path, "/a\nb/big");
  EXPECT_EQ(file.size, ByteCount(400'000'000));
  for (const char* const line : {R"({"name":"d","type":"dir","path":"/d","struct_type":"node"})",
                                 R"({"name":"d","type":"symlink","path":"/d","size":5,"struct_type":"node"})",
                                 R"({"name":"d","type":"file","path":"/d","struct_type":"node"})"}) {
    EXPECT_EQ(parsed<NodeMessage>(line).path, "/d");
    EXPECT_FALSE(parsed<NodeMessage>(line).size) << line;
  }
}

}  // namespace
}  // namespace landfall::restic
