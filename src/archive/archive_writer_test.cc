#include "archive/archive_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/test_archives.h"
#include "base/digest.h"
#include "io/tar_reader.h"
#include "io/test_support.h"

namespace landfall::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ItemKey pod(std::string name) {
  return {.resource = {"", "pods"}, .version = "v1", .namespace_name = "shop", .name = std::move(name)};
}

struct Written {
  std::string name;
  std::string content;
  friend bool operator==(const Written&, const Written&) = default;
};

// The files of a tar, all of which must look as Velero writes them.
std::vector<Written> list(std::string_view tar) {
  std::vector<Written> files;
  io::StringReader source(tar);
  io::TarReader reader(source);
  for (auto entry = reader.next().value(); entry != nullptr; entry = reader.next().value()) {
    EXPECT_EQ(entry->type, io::TarEntryType::kFile);
    EXPECT_EQ(entry->mode, 0755U);
    EXPECT_EQ(entry->mtime, kTestTime);
    files.push_back({entry->name, io::read_all(reader.content(), 1UL << 20U).value()});
  }
  return files;
}

// A fixed archive with everything that a path can be: versions, scopes, other letters, and names around tar's limits.
std::string fixed_archive() {
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime);
  const k8s::GroupResource widgets{"widgets.example.com", "widgets"};
  const std::vector<std::pair<ItemKey, std::string>> items = {
      {pod("db-0"), R"({"kind":"Pod","metadata":{"name":"db-0"}})"},
      {{.resource = {"", "namespaces"}, .version = "v1", .name = "shop"}, R"({"kind":"Namespace"})"},
      {{.resource = widgets, .version = "v1beta1", .is_preferred = false, .namespace_name = "shop", .name = "w"}, "{}"},
      {{.resource = widgets, .version = "v1", .namespace_name = "shop", .name = "w"}, ""},
      {{.resource = widgets, .version = "v1", .namespace_name = "shop", .name = std::string(63, 'n')}, "a long name"},
      {{.resource = widgets, .version = "v1", .namespace_name = "shop", .name = std::string(248, 'm')}, "longer"},
      {{.resource = widgets, .version = "v1", .namespace_name = "shop", .name = "grün"}, std::string(5000, '\n')},
  };
  for (const auto& [key, json] : items) {
    const Status added = writer.add(key, json);
    EXPECT_TRUE(added) << added.error().message();
  }
  EXPECT_EQ(writer.items(), 7);
  EXPECT_TRUE(writer.close());
  return sink.take();
}

TEST(ArchiveWriter, WritesTheVersionAndThenEveryItemAsVeleroDoes) {
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime);
  ASSERT_TRUE(writer.add(pod("db-0"), "{\"a\":1}"));
  ItemKey beta = pod("db-0");
  beta.version = "v1beta1";
  beta.is_preferred = false;
  ASSERT_TRUE(writer.add(beta, "not even JSON"));
  ASSERT_TRUE(writer.close());
  EXPECT_THAT(list(gunzip(sink.str())),
              ElementsAre(Written{"metadata/version", "1.1.0\n"},
                          Written{"resources/pods/namespaces/shop/db-0.json", "{\"a\":1}"},
                          Written{"resources/pods/v1-preferredversion/namespaces/shop/db-0.json", "{\"a\":1}"},
                          Written{"resources/pods/v1beta1/namespaces/shop/db-0.json", "not even JSON"}));
}

TEST(ArchiveWriter, WithoutItemsIsStillAnArchive) {
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime);
  ASSERT_TRUE(writer.close());
  EXPECT_THAT(list(gunzip(sink.str())), ElementsAre(Written{"metadata/version", "1.1.0\n"}));
}

// Go's archive/tar has read this archive item by item, and writes the same tar for the same items.
TEST(ArchiveWriter, MakesTheBytesThatGoMakes) {
  EXPECT_EQ(sha256_hex(gunzip(fixed_archive())), "1e1a8c1b7475a8716d5e98bbefb95e505080b4c8365546b90bee95a9bba57792");
}

TEST(ArchiveWriter, RefusesANameThatIsTakenAndGoesOn) {
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime);
  ASSERT_TRUE(writer.add(pod("db-0"), "1"));
  const Status again = writer.add(pod("db-0"), "1");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kAlreadyExists);
  EXPECT_THAT(again.error().message(), HasSubstr("resources/pods/namespaces/shop/db-0.json"));
  // Another preferred version has the same plain path.
  ItemKey other = pod("db-0");
  other.version = "v2";
  EXPECT_EQ(writer.add(other, "2").error().code(), Code::kAlreadyExists);
  EXPECT_TRUE(writer.add(pod("db-1"), "3"));
  ASSERT_TRUE(writer.close());
  EXPECT_EQ(writer.items(), 2);
  EXPECT_EQ(list(gunzip(sink.str())).size(), 5);
}

TEST(ArchiveWriter, RefusesWhatNoReaderWouldTakeAndGoesOn) {
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime);
  EXPECT_EQ(writer.add(pod(".."), "1").error().code(), Code::kInvalid);
  EXPECT_EQ(writer.add(pod("a/b"), "1").error().code(), Code::kInvalid);
  const std::string huge((64UL << 20U) + 1, 'x');
  EXPECT_EQ(writer.add(pod("huge"), huge).error().code(), Code::kTooLarge);
  EXPECT_TRUE(writer.add(pod("huge"), "small after all"));
  ASSERT_TRUE(writer.close());
  EXPECT_EQ(list(gunzip(sink.str())).size(), 3);
}

TEST(ArchiveWriter, PassesOnThatTheDiskIsFull) {
  io::FullWriter sink(100);
  ArchiveWriter writer(sink, kTestTime);
  ASSERT_TRUE(writer.add(pod("db-0"), "1"));  // still in the compressor
  for (int i = 0; i < 2; ++i) {
    const Status closed = writer.close();
    ASSERT_FALSE(closed);
    EXPECT_THAT(closed.error().message(), i == 0 ? HasSubstr("disk full") : HasSubstr("write archive"));
  }
}

TEST(ArchiveWriter, IsListedAndReadItemByItemByGnuTar) {
  const std::string archive = fixed_archive();
  const std::vector<Written> files = list(gunzip(archive));
  std::string names;
  for (const Written& file : files) {
    names += file.name + "\n";
  }
  EXPECT_EQ(io::run_program({"tar", "tz", "--quoting-style=literal"}, archive), names);
  for (const Written& file : files) {
    EXPECT_EQ(io::run_program({"tar", "xzO", file.name}, archive), file.content) << file.name;
  }
}

}  // namespace
}  // namespace landfall::archive
