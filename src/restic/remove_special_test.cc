#include "restic/remove_special.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "testkit/temp_dir.h"

namespace landfall::restic {
namespace {

namespace fs = std::filesystem;

TEST(RemoveSpecial, RemovesLinksAndPipesAndNothingElse) {
  const testkit::TempDir directory;
  const fs::path root = directory.path() / "volume";
  fs::create_directories(root / "sub");
  fs::create_symlink("nowhere", root / "sub" / "link");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  std::ofstream(root / "file") << "kept";
  for (const char* path : {"/sub/link", "/pipe", "/file", "/sub", "/none", "/none/deeper", "/", ""}) {
    EXPECT_TRUE(remove_special(root, path)) << path;
  }
  EXPECT_FALSE(fs::is_symlink(root / "sub" / "link"));
  EXPECT_FALSE(fs::exists(root / "pipe"));
  EXPECT_TRUE(fs::exists(root / "file"));
}

TEST(RemoveSpecial, FollowsNoLinkAndNoWayOut) {
  const testkit::TempDir directory;
  const fs::path root = directory.path() / "volume";
  fs::create_directories(root);
  fs::create_directories(directory.path() / "outside");
  fs::create_symlink("nowhere", directory.path() / "outside" / "link");
  fs::create_symlink(directory.path() / "outside", root / "door");
  EXPECT_TRUE(remove_special(root, "/door/link"));
  EXPECT_FALSE(remove_special(root, "/../outside/link"));
  EXPECT_TRUE(fs::is_symlink(directory.path() / "outside" / "link"));
}

}  // namespace
}  // namespace landfall::restic
