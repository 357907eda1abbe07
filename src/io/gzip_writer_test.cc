#include "io/gzip_writer.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "io/gzip_reader.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

constexpr std::size_t kMiB = 1UL << 20U;

// Compresses about as well as JSON does.
std::string text_of(std::size_t size) {
  SeededRandom random(7);
  std::string text;
  while (text.size() < size) {
    text += "{\"name\":\"item-" + std::to_string(random.uniform(1000)) +
            "\",\"value\":" + std::to_string(random.bits()) + "}\n";
  }
  text.resize(size);
  return text;
}

std::string gzip(std::string_view bytes, GzipOptions options = {}, std::size_t step = 1UL << 16U) {
  StringWriter sink;
  GzipWriter writer(sink, options);
  StepReader reader(bytes, step);
  EXPECT_TRUE(copy(reader, writer));
  EXPECT_TRUE(writer.close());
  return sink.take();
}

std::size_t members_in(const std::string& compressed) {
  // libdeflate's header is always these ten bytes.
  const std::string mark = compressed.substr(0, 10);
  std::size_t count = 0;
  for (std::size_t at = compressed.find(mark); at != std::string::npos; at = compressed.find(mark, at + 1)) {
    ++count;
  }
  return count;
}

TEST(GzipWriter, NothingGivesOneEmptyMember) {
  const std::string compressed = gzip("");
  EXPECT_EQ(members_in(compressed), 1U);
  EXPECT_EQ(run_program({"gzip", "-dc"}, compressed), "");
}

TEST(GzipWriter, AMemberHoldsOneMiB) {
  const std::string text = text_of(3 * kMiB + 1);
  EXPECT_EQ(members_in(gzip(text.substr(0, kMiB))), 1U);
  EXPECT_EQ(members_in(gzip(text.substr(0, kMiB + 1))), 2U);
  EXPECT_EQ(members_in(gzip(text.substr(0, 3 * kMiB))), 3U);
  EXPECT_EQ(members_in(gzip(text)), 4U);
}

TEST(GzipWriter, GzipReadsWhatItWrites) {
  const std::string text = text_of(5 * kMiB + 12345);
  EXPECT_EQ(run_program({"gzip", "-dc"}, gzip(text)), text);
}

TEST(GzipWriter, TheSameInputGivesTheSameOutput) {
  const std::string text = text_of(5 * kMiB + 12345);
  const std::string once = gzip(text, {.workers = 1});
  EXPECT_EQ(gzip(text, {.workers = 3}, 999), once);
  EXPECT_EQ(gzip(text, {.workers = 16}, 3 * kMiB), once);
}

TEST(GzipWriter, AHigherLevelIsSmaller) {
  const std::string text = text_of(kMiB);
  EXPECT_LT(gzip(text, {.level = 12}).size(), gzip(text, {.level = 1}).size());
}

TEST(GzipWriter, RefusesAWrongLevel) {
  for (const int level : {-1, 0, 13}) {
    StringWriter sink;
    GzipWriter writer(sink, {.level = level});
    EXPECT_EQ(writer.write("x").error().code(), Code::kInvalid);
    EXPECT_EQ(writer.close().error().code(), Code::kInvalid);
  }
}

TEST(GzipWriter, TheErrorOfItsSinkComesOutAndStays) {
  const std::string text = text_of(8 * kMiB);
  FullWriter sink(10);
  GzipWriter writer(sink, {.workers = 2});
  StringReader reader(text);
  const auto copied = copy(reader, writer);
  ASSERT_FALSE(copied) << "8 MiB do not fit into the blocks that may be in flight";
  EXPECT_EQ(copied.error().message(), "write: disk full");
  EXPECT_EQ(writer.write("x").error().message(), "disk full");
  EXPECT_EQ(writer.close().error().message(), "disk full");
}

TEST(GzipWriter, ASmallWriteFailsAtClose) {
  FullWriter sink(10);
  GzipWriter writer(sink);
  ASSERT_TRUE(writer.write("small"));
  EXPECT_EQ(writer.close().error().message(), "disk full");
  EXPECT_EQ(writer.close().error().message(), "disk full");
}

TEST(GzipWriter, CannotBeUsedAfterClose) {
  StringWriter sink;
  GzipWriter writer(sink);
  ASSERT_TRUE(writer.close());
  const std::string compressed = sink.str();
  EXPECT_EQ(writer.write("x").error().code(), Code::kInternal);
  EXPECT_EQ(writer.close().error().code(), Code::kInternal);
  EXPECT_EQ(sink.str(), compressed);
}

TEST(GzipWriter, AbandonedItWritesNothingMore) {
  StringWriter sink;
  {
    GzipWriter writer(sink);
    ASSERT_TRUE(writer.write("text"));
  }
  EXPECT_EQ(sink.str(), "");
}

}  // namespace
}  // namespace landfall::io
