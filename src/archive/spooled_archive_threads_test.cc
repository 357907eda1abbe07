#include <gtest/gtest.h>

#include <thread>

#include "archive/archive_writer.h"
#include "archive/test_archives.h"

namespace landfall::archive {
namespace {

TEST(SpooledArchive, IsReadByManyThreadsAtOnce) {
  constexpr int items = 500;
  constexpr int threads = 4;
  io::StringWriter sink;
  ArchiveWriter writer(sink, kTestTime, {.workers = 2});
  for (int i = 0; i < items; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    ASSERT_TRUE(writer.add({.resource = {"", "pods"}, .version = "v1", .namespace_name = "shop", .name = name},
                           name + std::string(static_cast<std::size_t>(i) * 17, 'x')));
  }
  ASSERT_TRUE(writer.close());
  const auto archive = read_archive(sink.str());
  ASSERT_TRUE(archive) << archive.error().message();

  std::vector<int> wrong(threads);
  {
    std::vector<std::jthread> readers;
    for (int thread = 0; thread < threads; ++thread) {
      readers.emplace_back([&, thread] {
        for (int i = thread; i < items; ++i) {
          const std::string name = "pod-" + std::to_string(i);
          const auto item = archive->index().find({"", "pods"}, "shop", name);
          const auto content = item ? archive->content(*item) : Result<std::string>("");
          if (!content || !content->starts_with(name) ||
              content->size() != name.size() + static_cast<std::size_t>(i) * 17) {
            ++wrong[static_cast<std::size_t>(thread)];
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(threads));
}

}  // namespace
}  // namespace landfall::archive
