#include "archive/archive_reader.h"

#include <gtest/gtest.h>

#include "archive/test_archives.h"

namespace landfall::archive {
namespace {

const std::string kItem = "resources/pods/cluster/a.json";

TEST(ArchiveReader, HandsOutFilesWithOrWithoutAskingForTheirContent) {
  const std::string bytes = archive_of({{"metadata/version", "1.1.0\n"}, {kItem, "{}"}, {"other", "o"}, {kItem, "{}"}});
  io::StringReader source(bytes);
  ArchiveReader reader(source, {}, {});
  EXPECT_EQ(reader.next().value()->name, "metadata/version");
  EXPECT_EQ(reader.content(), "1.1.0\n");
  EXPECT_EQ(reader.next().value()->item->name, "a");
  EXPECT_FALSE(reader.next().value()->item);
  EXPECT_EQ(reader.content(), "o");
  EXPECT_EQ(reader.content(), "o");
  EXPECT_EQ(reader.next().value()->size, 2);
  EXPECT_EQ(reader.next().value(), nullptr);
  EXPECT_EQ(reader.next().value(), nullptr);
  EXPECT_EQ(reader.facts().format_version, "1.1.0");
}

TEST(ArchiveReader, DoesNotGoOnAfterAnError) {
  const std::string bytes = archive_of({{"../up", "x"}, {kItem, "{}"}});
  io::StringReader source(bytes);
  ArchiveReader reader(source, {}, {});
  const auto first = reader.next();
  ASSERT_FALSE(first);
  const auto second = reader.next();
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error(), second.error());
}

TEST(ArchiveReader, ReadsContentsLargerThanItsFirstBuffer) {
  const std::string large(5'000'000, 'x');
  const std::string bytes = archive_of({{kItem, large}, {"resources/pods/cluster/b.json", "small"}});
  io::StringReader source(bytes);
  ArchiveReader reader(source, {}, {});
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.content(), large);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.content(), "small");
}

}  // namespace
}  // namespace landfall::archive
