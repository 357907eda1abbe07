#include <gtest/gtest.h>

#include <thread>

#include "base/guarded.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

constexpr std::size_t kMiB = 1UL << 20U;

std::string numbers(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) {
    text += std::to_string(i) + ",";
  }
  return text;
}

TEST(GzipWriterThreads, ManyBlocksComeOutInOrder) {
  const std::string text = numbers(12 * kMiB);
  StringWriter sink;
  GzipWriter writer(sink, {.level = 1, .workers = 4});
  StepReader reader(text, 100'000);
  ASSERT_TRUE(copy(reader, writer));
  ASSERT_TRUE(writer.close());
  StringReader source(sink.str());
  GzipReader unzipped(source);
  EXPECT_EQ(read_all(unzipped, 30 * kMiB), text);
}

TEST(GzipWriterThreads, SeveralWritersDoNotDisturbEachOther) {
  const std::string text = numbers(4 * kMiB);
  Guarded<int> right(0);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      StringWriter sink;
      GzipWriter writer(sink, {.level = 1, .workers = 2});
      if (!writer.write(text) || !writer.close()) {
        return;
      }
      StringReader source(sink.str());
      GzipReader unzipped(source);
      if (read_all(unzipped, 30 * kMiB) == text) {
        right.with([](int& count) { ++count; });
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right.copy(), 4);
}

TEST(GzipWriterThreads, CanBeAbandonedWhileItsWorkersAreBusy) {
  const std::string text = numbers(3 * kMiB);
  for (int i = 0; i < 4; ++i) {
    StringWriter sink;
    GzipWriter writer(sink, {.level = 12, .workers = 3});
    ASSERT_TRUE(writer.write(text));
  }
}

TEST(GzipWriterThreads, CanBeAbandonedAfterAnErrorOfTheSink) {
  const std::string text = numbers(10 * kMiB);
  FullWriter sink(500'000);
  GzipWriter writer(sink, {.level = 1, .workers = 3});
  EXPECT_FALSE(writer.write(text));
}

}  // namespace
}  // namespace landfall::io
