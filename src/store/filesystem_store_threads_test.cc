#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "store/filesystem_store.h"
#include "testkit/temp_dir.h"

namespace landfall::store {
namespace {

TEST(FilesystemStoreThreads, APutBeginsAgainWhenItsFolderIsRemoved) {
  const testkit::TempDir directory;
  ASSERT_TRUE(make_bucket(directory.path().string(), "bucket"));
  const auto store = open_filesystem({{"path", directory.path().string()}, {"bucket", "bucket"}}, Logger());
  ASSERT_TRUE(store) << store.error().message();
  const std::string outer = directory.path() / "bucket/outer";
  const std::string inner = outer + "/inner";
  // As other processes do that remove objects, but as fast as it can and a few times for every put.
  std::atomic<int> removals_left = 0;
  const std::jthread remover([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (removals_left > 0 && ::rmdir(inner.c_str()) == 0) --removals_left;
      if (removals_left > 0 && ::rmdir(outer.c_str()) == 0) --removals_left;
    }
  });
  const std::vector<std::string> key{"outer/inner/object"};
  for (int round = 0; round < 100; ++round) {
    removals_left = 5;
    const Status stored = (*store)->put(key.front(), extension::BytesSource("x"), {}, {});
    ASSERT_TRUE(stored) << stored.error().message();
    ASSERT_EQ((*store)->exists(key.front(), {}), true);
    ASSERT_TRUE((*store)->remove(key, {}));
  }
}

}  // namespace
}  // namespace landfall::store
