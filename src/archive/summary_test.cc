#include "archive/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/test_archives.h"
#include "io/file.h"

namespace landfall::archive {
namespace {

using testing::ElementsAre;

const std::string kBookshop =
    std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz";

Result<Summary> summarize_bytes(std::string_view bytes, const std::stop_token& stop = {}) {
  io::StringReader reader(bytes);
  return summarize(reader, stop, [](std::string_view) {});
}

std::string bookshop() { return io::read_file(kBookshop, 1 << 20).value(); }

TEST(Summary, CountsEveryObjectOfAVeleroArchiveOnce) {
  const auto summary = summarize_bytes(bookshop());
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->format_version, "1.1.0");
  EXPECT_EQ(summary->strange_count, 0);
  const ResourceSummary& claims = summary->resources.at({"", "persistentvolumeclaims"});
  EXPECT_EQ(claims.items, 1);
  EXPECT_EQ(claims.bytes, ByteCount(1346));
  EXPECT_THAT(claims.namespaces, ElementsAre("bookshop"));
  EXPECT_TRUE(summary->resources.at({"", "persistentvolumes"}).namespaces.empty());

  std::int64_t items = 0;
  for (const auto& [resource, part] : summary->resources) {
    items += part.items;
  }
  EXPECT_EQ(summary->items, items);
}

TEST(Summary, FindsOutThatAnArchiveIsCut) {
  const std::string whole = bookshop();
  for (const std::size_t left : {std::size_t{1}, std::size_t{500}, whole.size() / 2, whole.size() - 1}) {
    const auto summary = summarize_bytes(std::string_view(whole).substr(0, left));
    ASSERT_FALSE(summary) << left;
    EXPECT_EQ(summary.error().code(), Code::kDataLoss) << summary.error().message();
  }
}

TEST(Summary, RefusesWhatTheOtherReadersRefuse) {
  const auto summary = summarize_bytes(archive_of({{"resources/pods/cluster/a.json", "", '2', "/etc/passwd"}}));
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code(), Code::kInvalid) << summary.error().message();
}

TEST(Summary, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(summarize_bytes(bookshop(), stop.get_token()).error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::archive
