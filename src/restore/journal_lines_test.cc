#include "restore/journal_lines.h"

#include <gtest/gtest.h>

#include <chrono>

#include "archive/archive_writer.h"
#include "archive/spooled_archive.h"
#include "io/spool_file.h"

namespace landfall::restore {
namespace {

archive::SpooledArchive small_archive() {
  io::SpoolFile file = io::SpoolFile::create("/tmp").value();
  archive::ArchiveWriter writer(file, WallTime(std::chrono::seconds(1'767'225'600)));
  for (const std::string name : {"a", "b"}) {
    EXPECT_TRUE(writer.add({.resource = {"", "pods"}, .version = "v1", .namespace_name = "shop", .name = name}, "{}"));
  }
  EXPECT_TRUE(writer.close());
  EXPECT_TRUE(file.close());
  io::SpoolReader bytes = file.reader(0, file.size());
  return archive::SpooledArchive::read(bytes, {.directory = "/tmp"}, {}, {}).value();
}

TEST(JournalLines, SayAgainHowItemsAndNamespacesEnded) {
  const auto archive = small_archive();
  const auto item = archive.index().find({"", "pods"}, "shop", "b");
  ASSERT_TRUE(item);
  const ItemEnd end{.outcome = progress::Outcome::kUpdated,
                    .listed = Listed::kUpdated,
                    .exists = true,
                    .type = "v1/Pod",
                    .created_name = "c",
                    .findings = {error_in("shop", "e\n\"x\""), run_warning("w")}};
  const auto read = replay(
      {item_line(*item, end),
       namespace_line({.name = "copy", .original = "shop", .outcome = progress::Outcome::kFailed, .error = "no"}),
       R"(["intent","pods shop/b"])", provisioned_line("disk"), renamed_line("old", "new"), hooks_line("shop", "b"),
       begin_line()},
      archive.index());
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->items.size(), 1U);
  EXPECT_EQ(read->items[0].first, item->number());
  const ItemEnd& again = read->items[0].second;
  EXPECT_EQ(again.outcome, end.outcome);
  EXPECT_EQ(again.listed, end.listed);
  EXPECT_TRUE(again.exists);
  EXPECT_EQ(again.type, "v1/Pod");
  EXPECT_EQ(again.created_name, "c");
  EXPECT_EQ(again.findings, end.findings);
  ASSERT_EQ(read->namespaces.size(), 1U);
  EXPECT_EQ(read->namespaces[0].name, "copy");
  EXPECT_EQ(read->namespaces[0].outcome, progress::Outcome::kFailed);
  EXPECT_EQ(read->namespaces[0].error, "no");
  EXPECT_TRUE(read->intents.contains("pods shop/b"));
  EXPECT_TRUE(read->provisioned.contains("disk"));
  EXPECT_EQ(read->renamed.at("old"), "new");
}

TEST(JournalLines, OfOthersArePassedOver) {
  const auto archive = small_archive();
  const auto read =
      replay({R"(["hook-begin","1"])", R"(["hook-end","1",""])", R"({"x":1})", "[]", "7"}, archive.index());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->items.empty());
}

TEST(JournalLines, ThatCannotBeTrueAreRefusedWithTheirNumber) {
  const auto archive = small_archive();
  for (const std::string line :
       {"{", R"(["item","pods","shop","z","created","created",true,"v1/Pod"])",
        R"(["item","pods","shop","a","vanished","created",true,"v1/Pod"])", R"(["item"])", R"(["namespace","x"])"}) {
    const auto read = replay({R"(["begin"])", line}, archive.index());
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().code(), Code::kDataLoss);
    EXPECT_NE(read.error().message().find("line 2 of the journal"), std::string::npos) << read.error().message();
  }
}

}  // namespace
}  // namespace landfall::restore
