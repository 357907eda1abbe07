#include "restic/cleared_way.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "testkit/temp_dir.h"

namespace landfall::restic {
namespace {

namespace fs = std::filesystem;

class ClearedWayTest : public testing::Test {
 protected:
  ClearedWayTest() {
    fs::create_directories(volume() / "sub");
    fs::create_directories(outside());
    fs::create_symlink("nowhere", outside() / "link");
  }
  fs::path volume() const { return directory_.path() / "volume"; }
  fs::path outside() const { return directory_.path() / "outside"; }
  void clear(std::initializer_list<const char*> paths) const {
    auto way = ClearedWay::create(volume());
    ASSERT_TRUE(way) << way.error().message();
    for (const char* path : paths) {
      const Status cleared = way->clear(path);
      EXPECT_TRUE(cleared) << path << ": " << cleared.error().message();
    }
    EXPECT_TRUE(way->finish({}));
  }

  testkit::TempDir directory_;
};

TEST_F(ClearedWayTest, LinksAndPipesGoWhereTheSnapshotHasAnythingAndNothingElseDoes) {
  fs::create_symlink("nowhere", volume() / "sub" / "link");
  fs::create_symlink("nowhere", volume() / "mine");
  ASSERT_EQ(::mkfifo((volume() / "pipe").c_str(), 0600), 0);
  std::ofstream(volume() / "file") << "kept";
  clear({"/sub", "/sub/link", "/pipe", "/file", "/none", "/none/deeper", "/", ""});
  EXPECT_FALSE(fs::is_symlink(volume() / "sub" / "link"));
  EXPECT_FALSE(fs::exists(volume() / "pipe"));
  EXPECT_TRUE(fs::exists(volume() / "file"));
  EXPECT_TRUE(fs::is_symlink(volume() / "mine"));
}

TEST_F(ClearedWayTest, ALinkOnTheWayGoesAndWhatItLeadsToStays) {
  fs::create_symlink("../outside", volume() / "door");
  fs::create_symlink("../../outside", volume() / "sub" / "door");
  clear({"/door/link", "/sub/door/deeper/link", "/sub/door/link"});
  EXPECT_FALSE(fs::is_symlink(volume() / "door"));
  EXPECT_FALSE(fs::is_symlink(volume() / "sub" / "door"));
  EXPECT_TRUE(fs::is_symlink(outside() / "link"));
}

TEST_F(ClearedWayTest, ThereIsNoWayOut) {
  auto way = ClearedWay::create(volume());
  ASSERT_TRUE(way) << way.error().message();
  EXPECT_FALSE(way->clear("/../outside/link"));
  EXPECT_TRUE(fs::is_symlink(outside() / "link"));
}

// Restic says "\ufffd" for each of them.
TEST_F(ClearedWayTest, NamesThatAreNotUtf8AreNoWayAround) {
  fs::create_symlink("../outside", volume() / "\xff");
  fs::create_directory(volume() / "\xfe");
  fs::create_symlink("../../outside/link", volume() / "\xfe" / "plain");
  fs::create_symlink("nowhere", volume() / "sub" / "mine");
  clear({"/sub"});
  EXPECT_TRUE(fs::is_symlink(volume() / "\xff"));
  clear({"/\xef\xbf\xbd", "/\xef\xbf\xbd/plain"});
  EXPECT_FALSE(fs::is_symlink(volume() / "\xff"));
  EXPECT_FALSE(fs::is_symlink(volume() / "\xfe" / "plain"));
  EXPECT_TRUE(fs::is_symlink(volume() / "sub" / "mine"));
  EXPECT_TRUE(fs::is_symlink(outside() / "link"));
}

}  // namespace
}  // namespace landfall::restic
