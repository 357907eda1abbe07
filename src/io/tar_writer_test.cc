#include "io/tar_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "io/tar_reader.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

WallTime at(std::int64_t unix_seconds) { return WallTime(seconds(unix_seconds)); }

TEST(TarWriter, AnEmptyArchiveIsItsEndMark) {
  StringWriter sink;
  TarWriter tar(sink);
  ASSERT_TRUE(tar.close());
  EXPECT_EQ(sink.str(), std::string(1024, '\0'));
  EXPECT_EQ(tar.position(), 1024U);
}

TEST(TarWriter, WritesWhatTarLists) {
  StringWriter sink;
  TarWriter tar(sink);
  ASSERT_TRUE(tar.add({.name = "metadata/version", .mtime = at(1'767'225'600)}, "1.1.0"));
  ASSERT_TRUE(tar.add({.name = "empty", .mtime = at(0)}, ""));
  ASSERT_TRUE(tar.close());
  EXPECT_EQ(run_program({"tar", "tv", "--full-time", "--utc", "--numeric-owner"}, sink.str()),
            "-rwxr-xr-x 0/0               5 2026-01-01 00:00:00 metadata/version\n"
            "-rwxr-xr-x 0/0               0 1970-01-01 00:00:00 empty\n");
  EXPECT_EQ(run_program({"tar", "xO", "metadata/version"}, sink.str()), "1.1.0");
}

TEST(TarWriter, RoundsTheTimeAsGoDoes) {
  StringWriter sink;
  TarWriter tar(sink);
  ASSERT_TRUE(tar.add({.name = "down", .mtime = at(10) + milliseconds(499)}, ""));
  ASSERT_TRUE(tar.add({.name = "up", .mtime = at(10) + milliseconds(500)}, ""));
  ASSERT_TRUE(tar.close());
  StringReader source(sink.str());
  TarReader reader(source);
  EXPECT_EQ((*reader.next())->mtime.time_since_epoch(), seconds(10));
  EXPECT_EQ((*reader.next())->mtime.time_since_epoch(), seconds(11));
}

TEST(TarWriter, TakesContentOfKnownSizeFromAReader) {
  const std::string content(200'000, 'c');
  StepReader reader(content, 777);
  StringWriter sink;
  TarWriter tar(sink);
  ASSERT_TRUE(tar.add({.name = "big", .mtime = at(1)}, content.size(), reader));
  ASSERT_TRUE(tar.close());
  EXPECT_EQ(run_program({"tar", "xO", "big"}, sink.str()), content);
}

TEST(TarWriter, RefusesContentOfAnotherSizeThanPromised) {
  for (const std::size_t promised : {5U, 7U}) {
    StepReader reader("123456", 4);
    StringWriter sink;
    TarWriter tar(sink);
    const Status status = tar.add({.name = "f", .mtime = at(1)}, promised, reader);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), Code::kInvalid);
    EXPECT_THAT(status.error().message(), testing::StartsWith("content of \"f\": it "));
    EXPECT_EQ(tar.close().error(), status.error()) << "an archive with a hole must not be finished";
  }
}

TEST(TarWriter, PassesOnTheErrorOfItsSinkAgainAndAgain) {
  FullWriter sink(1000);
  TarWriter tar(sink);
  const Status status = tar.add({.name = "f", .mtime = at(1)}, std::string(1000, 'x'));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "disk full");
  EXPECT_EQ(tar.add({.name = "g", .mtime = at(1)}, "").error(), status.error());
  EXPECT_EQ(tar.close().error(), status.error());
}

TEST(TarWriter, ARefusedNameDoesNotSpoilTheArchive) {
  StringWriter sink;
  TarWriter tar(sink);
  for (const std::string_view name : {"", "/etc/passwd", "../x", "a/../b", "./a", "a//b", "a/", "a\\b"}) {
    EXPECT_EQ(tar.add({.name = name, .mtime = at(1)}, "x").error().code(), Code::kInvalid) << name;
  }
  ASSERT_TRUE(tar.add({.name = "good", .mtime = at(1)}, "x"));
  ASSERT_TRUE(tar.close());
  EXPECT_EQ(run_program({"tar", "t"}, sink.str()), "good\n");
}

std::string times(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

// The digests are those of the archives that Go 1.26's archive/tar writes for the same names, sizes and times.
TEST(TarWriter, WritesTheSameBytesAsGo) {
  const std::vector<std::string> names = {
      "metadata/version",
      times("a", 100),
      times("a", 101),
      times("d", 50) + "/" + times("f", 60),
      times("d", 155) + "/" + times("f", 100),
      times("d", 156) + "/" + times("f", 100),
      times("d", 155) + "/" + times("f", 101),
      times("d", 90) + "/" + times("e", 90) + "/" + times("f", 90),
      times("dd/", 60) + times("f", 300),
      "grüße/ü.json",
      "a/ü",
      "ü",
      times("ü", 80) + "/" + times("x", 200),
      times("n", 99) + "/" + times("ö", 3),
  };
  const std::vector<std::pair<std::int64_t, std::string>> golden = {
      {1'767'225'600, "e1281b5ba513cd1182bfb7fbcf7b5f23b73c92360710a1d2aa05be4c3de9cbee"},
      {0, "b3637afe876ffd727845d0f0eec1a0310c2cd764716afbf1db787530988a239f"},
      {-5, "da081a59368007a61d9ae27fd43d459f72241b8f7914f342b0d44148a07f5d86"},
      {8'589'934'592, "0a26191f2944c8dfcf28b7aa2ae90a9d796025fc0930c6676e4f840185f56a5a"},
  };
  for (const auto& [mtime, digest] : golden) {
    StringWriter sink;
    TarWriter tar(sink);
    for (std::size_t i = 0; i < names.size(); ++i) {
      ASSERT_TRUE(tar.add({.name = names[i], .mtime = at(mtime)}, std::string(i * 100, 'x')));
    }
    ASSERT_TRUE(tar.close());
    EXPECT_EQ(sha256_hex(sink.str()), digest) << "modified at " << mtime;
  }
}

TEST(TarWriter, CannotBeUsedAfterClose) {
  StringWriter sink;
  TarWriter tar(sink);
  ASSERT_TRUE(tar.close());
  EXPECT_EQ(tar.add({.name = "late", .mtime = at(1)}, "x").error().code(), Code::kInternal);
  EXPECT_EQ(sink.str().size(), 1024U);
}

}  // namespace
}  // namespace landfall::io
