#include "archive/spooled_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "archive/test_archives.h"
#include "io/file.h"
#include "io/tar_name.h"
#include "io/tar_reader.h"
#include "io/tar_writer.h"
#include "io/test_support.h"

namespace landfall::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kWidgets{"example.com", "widgets"};
const std::string kPlain = "resources/pods/namespaces/shop/db-0.json";
const std::string kCopy = "resources/pods/v1-preferredversion/namespaces/shop/db-0.json";

std::string bookshop() {
  return io::read_file(std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz",
                       1 << 20)
      .value();
}

// ---- what is read ----

TEST(SpooledArchive, ReadsAnArchiveOfVeleroCompletely) {
  const std::string bytes = bookshop();
  const auto archive = read_archive(bytes);
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_EQ(archive->facts().format_version, "1.1.0");
  EXPECT_EQ(archive->facts().strange_count, 0);

  const std::string tar = gunzip(bytes);
  io::StringReader source(tar);
  io::TarReader reader(source);
  int files = 0;
  for (auto entry = reader.next().value(); entry != nullptr; entry = reader.next().value()) {
    const std::string content = io::read_all(reader.content(), 1UL << 20U).value();
    const auto path = parse_item_path(entry->name);
    if (!path) {
      EXPECT_EQ(entry->name, "metadata/version");
      continue;
    }
    ++files;
    const auto item = archive->index().find(path->resource, path->namespace_name, path->name);
    ASSERT_TRUE(item) << entry->name;
    EXPECT_EQ(archive->content(*item), content) << entry->name;
    if (!path->is_plain()) {
      ASSERT_EQ(item->versions().size(), 1);
      EXPECT_EQ(item->versions().front().version, path->version);
      EXPECT_EQ(archive->content(item->versions().front().content), content);
    }
  }
  EXPECT_EQ(files, 2 * archive->index().item_count());
  EXPECT_GT(files, 100);
}

TEST(SpooledArchive, KeepsACopyOnlyWhereItDiffers) {
  const auto same = read_archive(archive_of({{kPlain, "twelve bytes"}, {kCopy, "twelve bytes"}}));
  ASSERT_TRUE(same) << same.error().message();
  EXPECT_EQ(same->spooled_bytes(), 12);
  const auto item = same->index().find(kPods, "shop", "db-0").value();
  EXPECT_EQ(item.versions().front().content, item.content());

  const auto other = read_archive(archive_of({{kPlain, "twelve bytes"}, {kCopy, "twelve BYTES"}}));
  ASSERT_TRUE(other) << other.error().message();
  EXPECT_EQ(other->spooled_bytes(), 24);
  const auto changed = other->index().find(kPods, "shop", "db-0").value();
  EXPECT_EQ(other->content(changed), "twelve bytes");
  EXPECT_EQ(other->content(changed.versions().front().content), "twelve BYTES");
}

TEST(SpooledArchive, ComparesWithWhatIsLongWritten) {
  // The copies come last, as when somebody packs an extracted archive again; and large contents go past the buffer.
  std::vector<TestEntry> entries;
  for (const std::size_t size : {10UL, 100'000UL, 200'000UL, 300'000UL, 20UL}) {
    entries.push_back({"resources/pods/cluster/" + std::to_string(size) + ".json", std::string(size, 'x')});
  }
  const std::size_t plain = entries.size();
  for (std::size_t i = 0; i < plain; ++i) {
    const std::string name = std::to_string(entries[i].content.size()) + ".json";
    entries.push_back({"resources/pods/v1-preferredversion/cluster/" + name, entries[i].content});
  }
  const auto archive = read_archive(archive_of(entries));
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_EQ(archive->spooled_bytes(), 600'030);
  for (const IndexedItem item : archive->index().items()) {
    EXPECT_EQ(archive->content(item)->size(), std::stoul(std::string(item.name())));
    EXPECT_EQ(item.versions().front().content, item.content());
  }
}

TEST(SpooledArchive, ReadsTheFormatBeforeVersionDirectories) {
  for (const char* version : {"1", "1.0.0"}) {
    const auto archive = read_archive(archive_of({{"metadata/version", version}, {kPlain, "{}"}}));
    ASSERT_TRUE(archive) << archive.error().message();
    EXPECT_EQ(archive->facts().format_version, version);
    EXPECT_THAT(archive->index().find(kPods)->versions, IsEmpty());
    EXPECT_EQ(archive->content(archive->index().find(kPods, "shop", "db-0").value()), "{}");
  }
}

TEST(SpooledArchive, ReadsVersionsThatAreNotPreferred) {
  const std::string root = "resources/widgets.example.com/";
  const auto archive = read_archive(archive_of({{"metadata/version", "1.1.0\n"},
                                                {root + "v1beta1/cluster/w.json", "beta"},
                                                {root + "cluster/w.json", "stable"},
                                                {root + "v1-preferredversion/cluster/w.json", "stable"},
                                                {root + "v1alpha1/cluster/old.json", "alpha"}}));
  ASSERT_TRUE(archive) << archive.error().message();
  const auto item = archive->index().find(kWidgets, "", "w").value();
  EXPECT_EQ(archive->content(item), "stable");
  ASSERT_EQ(item.versions().size(), 2);
  EXPECT_EQ(archive->content(item.versions()[0].content), "beta");
  EXPECT_EQ(archive->content(item.versions()[1].content), "stable");

  const auto old = archive->index().find(kWidgets, "", "old").value();
  EXPECT_EQ(archive->content(old).error().code(), Code::kNotFound);
  EXPECT_EQ(archive->content(old.versions().front().content), "alpha");
}

TEST(SpooledArchive, WithoutResourcesIsEmptyAndNoError) {
  for (const auto& entries : std::vector<std::vector<TestEntry>>{{}, {{"metadata/version", "1.1.0\n"}}}) {
    const auto archive = read_archive(archive_of(entries));
    ASSERT_TRUE(archive) << archive.error().message();
    EXPECT_EQ(archive->index().size(), 0);
    EXPECT_EQ(archive->facts().strange_count, 0);
  }
}

TEST(SpooledArchive, PassesOverDirectoriesAndLeadingDots) {
  const auto archive = read_archive(archive_of({{"./", "", '5'}, {"./resources/", "", '5'}, {"./" + kPlain, "{}"}}));
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_EQ(archive->facts().strange_count, 0);
  EXPECT_TRUE(archive->index().find(kPods, "shop", "db-0"));
}

TEST(SpooledArchive, CountsOtherFilesAsStrangeAndKeepsTheFirstFew) {
  std::vector<TestEntry> entries = {{"README", "hello"}, {"resources/pods/cluster/a.yaml", "a: 1"}, {kPlain, "{}"}};
  for (int i = 0; i < 20; ++i) {
    entries.push_back({"more/" + std::to_string(i), ""});
  }
  const auto archive = read_archive(archive_of(entries));
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_EQ(archive->facts().strange_count, 22);
  ASSERT_EQ(archive->facts().strange.size(), 10);
  EXPECT_EQ(archive->facts().strange[1], "resources/pods/cluster/a.yaml");
  EXPECT_EQ(archive->index().size(), 1);
}

TEST(SpooledArchive, TellsHowFarItIs) {
  const std::string bytes = archive_of({{"metadata/version", "1.1.0\n"}, {kPlain, "{}"}});
  io::StringReader reader(bytes);
  std::vector<std::string> seen;
  std::uint64_t consumed = 0;
  const auto archive = SpooledArchive::read(reader, {.directory = "/tmp"}, {}, [&](const ReadProgress& progress) {
    seen.emplace_back(progress.path);
    EXPECT_EQ(progress.entries, seen.size());
    consumed = progress.compressed_bytes;
  });
  ASSERT_TRUE(archive);
  EXPECT_THAT(seen, ElementsAre("metadata/version", kPlain));
  EXPECT_GT(consumed, 0);
  EXPECT_LE(consumed, bytes.size());
}

TEST(SpooledArchive, ReadsADirectoryOfAHundredThousandEntries) {
  io::StringWriter sink;
  io::GzipWriter gzip(sink, {.level = 1});
  io::TarWriter tar(gzip);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(tar.add({.name = "resources/pods/namespaces/shop/web-" + std::to_string(i) + ".json"}, "{}"));
  }
  ASSERT_TRUE(tar.close());
  ASSERT_TRUE(gzip.close());
  const auto archive = read_archive(sink.str());
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_EQ(archive->index().item_count(), 100'000);
  EXPECT_TRUE(archive->index().find(kPods, "shop", "web-99999"));
}

TEST(SpooledArchive, LeavesNothingBehindInItsDirectory) {
  const io::TempDir directory = io::make_temp_dir();
  const std::string bytes = bookshop();
  io::StringReader reader(bytes);
  const auto archive = SpooledArchive::read(reader, {.directory = directory.path()}, {}, {});
  ASSERT_TRUE(archive);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

// ---- bad input ----

void expect_error(const Result<SpooledArchive>& archive, Code code, std::string_view part) {
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().code(), code) << archive.error().message();
  EXPECT_THAT(archive.error().message(), HasSubstr(std::string(part)));
}

TEST(SpooledArchive, RefusesACutArchive) {
  const std::string whole = bookshop();
  for (std::size_t left = 1; left < whole.size(); left += 397) {
    SCOPED_TRACE(left);
    expect_error(read_archive(std::string_view(whole).substr(0, left)), Code::kDataLoss, "offset");
  }
  const std::string tar = tar_of({{kPlain, std::string(3000, 'x')}});
  for (std::size_t left = 0; left < tar.size(); left += 100) {
    SCOPED_TRACE(left);
    expect_error(read_archive(gzip_of(std::string_view(tar).substr(0, left))), Code::kDataLoss, "tar offset");
  }
}

TEST(SpooledArchive, RefusesAnArchiveWithAFlippedBit) {
  const std::string whole = bookshop();
  // The ten bytes of the gzip header hold a time and a system that nobody checks.
  for (std::size_t at = 10; at < whole.size(); at += 211) {
    SCOPED_TRACE(at);
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    expect_error(read_archive(flipped), Code::kDataLoss, "offset");
  }
}

TEST(SpooledArchive, RefusesEmptyAndForeignInput) {
  expect_error(read_archive(""), Code::kDataLoss, "empty");
  expect_error(read_archive("<html>no such key</html>"), Code::kDataLoss, "not gzip");
  expect_error(read_archive(gzip_of("")), Code::kDataLoss, "cut");
  expect_error(read_archive(gzip_of(std::string(2048, 'x'))), Code::kDataLoss, "not a tar header");
  expect_error(read_archive(archive_of({{kPlain, "{}"}}) + "more"), Code::kDataLoss, "follows the end");
}

TEST(SpooledArchive, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"../etc/passwd", "resources/../../etc/passwd", "resources/pods/cluster/../a.json",
                           "/etc/passwd", "resources\\pods", "resources/pods/cluster/..", "caf\xe9.json"}) {
    expect_error(read_archive(archive_of({{kPlain, "{}"}, {name, "x"}})), Code::kInvalid, io::quote_name(name));
  }
  expect_error(read_archive(archive_of({{"../up/", "", '5'}})), Code::kInvalid, "../up/");
}

TEST(SpooledArchive, RefusesWhatIsNotAFile) {
  const std::vector<std::pair<char, std::string>> types = {
      {'1', "hard link"}, {'2', "symbolic link"}, {'3', "device"}, {'4', "device"}, {'6', "fifo"}, {'V', "unknown"}};
  for (const auto& [type, word] : types) {
    const auto archive = read_archive(archive_of({{kPlain, "{}"}, {kCopy, "", type, kPlain}}));
    expect_error(archive, Code::kInvalid, kCopy);
    expect_error(archive, Code::kInvalid, word);
  }
}

TEST(SpooledArchive, TakesAPathTwiceOnlyWithTheSameBytes) {
  const auto same = read_archive(archive_of({{kPlain, "{}"}, {kPlain, "{}"}, {kCopy, "{}"}, {kCopy, "{}"}}));
  ASSERT_TRUE(same) << same.error().message();
  EXPECT_EQ(same->index().item_count(), 1);
  EXPECT_EQ(same->index().find(kPods)->bytes, ByteCount(2));

  expect_error(read_archive(archive_of({{kPlain, "{}"}, {kCopy, "{}"}, {kPlain, "[]"}})), Code::kInvalid, kPlain);
  expect_error(read_archive(archive_of({{kPlain, "{}"}, {kCopy, "{}"}, {kCopy, "[]"}})), Code::kInvalid, kCopy);
  expect_error(read_archive(archive_of({{kPlain, "{}"}, {"./" + kPlain, "longer"}})), Code::kInvalid, "twice");
  expect_error(read_archive(archive_of({{"metadata/version", "1"}, {"metadata/version", "1.1.0"}})), Code::kInvalid,
               "two format versions");
}

TEST(SpooledArchive, BelievesNoSizeBeforeItHasSeenTheBytes) {
  io::StringWriter tar;
  io::StringReader content("short");
  ASSERT_FALSE(io::TarWriter(tar).add({.name = kPlain}, 10ULL << 30U, content));  // it says 10 GiB and then gives up
  const std::string archive = gzip_of(tar.str());
  expect_error(read_archive(archive), Code::kTooLarge, kPlain);
  // With limits that would let it through, nothing of that size is asked for: the archive is just cut.
  const ArchiveLimits wide{.total_size = 1ULL << 40U, .item_size = 1ULL << 40U};
  expect_error(read_archive(archive, wide), Code::kDataLoss, "cut");
}

TEST(SpooledArchive, StopsAtEveryLimit) {
  const std::string content(10'000, ' ');
  const std::string archive = archive_of({{"metadata/version", "1.1.0\n"}, {kPlain, content}, {kCopy, content}});
  const auto with = [&](const ArchiveLimits& limits, std::string_view part) {
    expect_error(read_archive(archive, limits), Code::kTooLarge, part);
  };
  with({.total_size = 5000}, "5000 bytes");
  with({.ratio = 20, .ratio_from = 1000}, "decompression bomb");
  with({.item_size = 9999}, kPlain);
  with({.entries = 2}, "2 entries");
  with({.name_length = 40}, "40 bytes");
  with({.index_size = 200}, kPlain);
  EXPECT_TRUE(read_archive(archive, {.total_size = 30'000,
                                     .ratio = 0,
                                     .item_size = 10'000,
                                     .entries = 3,
                                     .name_length = kCopy.size(),
                                     .index_size = 1000}));
}

TEST(SpooledArchive, RefusesAResourceWithHundredsOfVersions) {
  std::vector<TestEntry> entries;
  for (int i = 0; i < 200; ++i) {
    entries.push_back({"resources/pods/v" + std::to_string(i) + "/cluster/a.json", ""});
  }
  expect_error(read_archive(archive_of(entries)), Code::kTooLarge, "more than 100 versions");
}

TEST(SpooledArchive, RefusesABomb) {
  // A gigabyte of blanks in a megabyte, stopped long before its end.
  io::StringWriter sink;
  io::GzipWriter gzip(sink, {.level = 1});
  ASSERT_TRUE(gzip.write(tar_of({{kPlain, "{}"}}).substr(0, 1024)));
  const std::string blanks(1UL << 20U, '\0');
  for (int i = 0; i < 128; ++i) {
    ASSERT_TRUE(gzip.write(blanks));
  }
  ASSERT_TRUE(gzip.close());
  expect_error(read_archive(sink.str(), {.ratio = 100}), Code::kTooLarge, "decompression bomb");
}

TEST(SpooledArchive, PassesOnThatTheDiskIsFull) {
  const std::string bytes = archive_of({{kPlain, std::string(600'000, 'x')}, {kCopy, std::string(600'000, 'y')}});
  const io::FileSizeLimit limit(1'000'000);
  expect_error(read_archive(bytes), Code::kTooLarge, "temporary file");  // a full disk is kInternal
}

TEST(SpooledArchive, PassesOnThatTheSourceFails) {
  const std::string bytes = bookshop();
  io::StepReader reader(bytes, 1000, 5000);
  const auto archive = SpooledArchive::read(reader, {.directory = "/tmp"}, {}, {});
  expect_error(archive, Code::kUnavailable, "connection cut");
}

TEST(SpooledArchive, StopsWhenAsked) {
  const std::string bytes = bookshop();
  io::StringReader reader(bytes);
  std::stop_source stop;
  const auto archive =
      SpooledArchive::read(reader, {.directory = "/tmp"}, stop.get_token(), [&](const ReadProgress& progress) {
        EXPECT_LE(progress.entries, 5);
        if (progress.entries == 5) {
          stop.request_stop();
        }
      });
  expect_error(archive, Code::kCancelled, "stopped");
}

}  // namespace
}  // namespace landfall::archive
