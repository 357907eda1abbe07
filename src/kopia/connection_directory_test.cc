#include "kopia/connection_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testkit/temp_dir.h"

namespace landfall::kopia {
namespace {

namespace fs = std::filesystem;

class ConnectionDirectories : public testing::Test {
 protected:
  // As a process leaves it that is killed.
  fs::path leave(const std::string& name, const std::string& file) const {
    const fs::path path = directory_.path() / name;
    fs::create_directory(path);
    std::ofstream(path / file).close();
    std::ofstream(path / "repository.config") << "k3y";
    return path;
  }
  testkit::TempDir directory_;
};

TEST_F(ConnectionDirectories, ThatWereLeftAreRemovedAndNoOthers) {
  const fs::path left = leave("landfall-abc123", "in-use");
  const fs::path another = leave("landfall-def456", "something");
  const fs::path foreign = leave("kopia-abc123", "in-use");
  fs::create_symlink(foreign, directory_.path() / "landfall-link");
  auto live = ConnectionDirectory::create(directory_.path());
  ASSERT_TRUE(live) << live.error().message();
  remove_left_directories(directory_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(another / "repository.config")) << "it is no connection's";
  EXPECT_TRUE(fs::exists(foreign / "repository.config"));
  EXPECT_TRUE(fs::exists(live->path("in-use")));
  remove_left_directories(directory_.path() / "nowhere");
}

TEST_F(ConnectionDirectories, GoWithTheirConnection) {
  std::string path;
  {
    auto made = ConnectionDirectory::create(directory_.path());
    ASSERT_TRUE(made) << made.error().message();
    const ConnectionDirectory moved = *std::move(made);
    path = moved.path();
    remove_left_directories(directory_.path());
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(ConnectionDirectory::create(directory_.path() / "nowhere"));
}

}  // namespace
}  // namespace landfall::kopia
