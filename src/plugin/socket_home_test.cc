#include "plugin/socket_home.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "testkit/temp_dir.h"

namespace landfall::plugin {
namespace {

namespace fs = std::filesystem;

class SocketHomes : public testing::Test {
 protected:
  Result<io::TempDir> room(SocketHome& home) { return home.room(system_clock(), {}); }
  fs::path parent() const { return parent_.path(); }

  const testkit::TempDir parent_;
};

TEST_F(SocketHomes, HoldAllRoomsOfAProcessForItsUserAlone) {
  SocketHome home(parent());
  const auto one = room(home);
  const auto other = room(home);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->path(), other->path());
  const fs::path shared = fs::path(one->path()).parent_path();
  EXPECT_EQ(fs::path(other->path()).parent_path(), shared);
  EXPECT_EQ(shared.parent_path(), parent());
  EXPECT_TRUE(shared.filename().string().starts_with("landfall-plugins-"));
  EXPECT_EQ(fs::status(shared).permissions(), fs::perms::owner_all);
}

TEST_F(SocketHomes, LeaveRoomForTheNameOfASocket) {
  const fs::path deep = parent() / std::string(60, 'd');
  fs::create_directories(deep);
  const std::string longest = (parent() / std::string(47 - parent().string().size(), 'd')).string();
  fs::create_directories(longest);
  for (const std::string& temp_dir : {deep.string(), longest}) {
    SocketHome home(temp_dir);
    const auto made = room(home);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_LE(made->path("plugin123456789abc").size(), 107U);
    EXPECT_EQ(made->path().starts_with(temp_dir), temp_dir == longest);
  }
}

TEST_F(SocketHomes, AreGoneInTheEnd) {
  {
    SocketHome home(parent());
    EXPECT_TRUE(fs::is_empty(parent())) << "nothing is made before it is needed";
    ASSERT_TRUE(room(home));
    EXPECT_FALSE(fs::is_empty(parent()));
  }
  EXPECT_TRUE(fs::is_empty(parent()));
}

TEST_F(SocketHomes, OfKilledProcessesAreRemovedAndNoLinkIsFollowed) {
  const fs::path victim = parent_.write("victim/file", "mine").parent_path();
  const fs::path left = parent_.write("landfall-plugins-killed/lock", "").parent_path();
  parent_.write("landfall-plugins-killed/landfall-abcdef/plugin123", "");
  fs::create_directory_symlink(victim, left / "link");
  fs::create_directory_symlink(victim, left / "landfall-abcdef" / "link");
  SocketHome home(parent());
  ASSERT_TRUE(room(home));
  EXPECT_FALSE(fs::exists(fs::symlink_status(left)));
  EXPECT_TRUE(fs::exists(victim / "file"));
}

TEST_F(SocketHomes, ThatAreLivedInOrAreNotOursStay) {
  SocketHome neighbour(parent());
  const auto lived_in = room(neighbour);
  ASSERT_TRUE(lived_in);
  const fs::path victim = parent_.write("victim/lock", "").parent_path();
  fs::create_directory_symlink(victim, parent() / "landfall-plugins-link");
  fs::create_directories(parent() / "landfall-plugins-new");
  fs::create_directories(parent() / "landfall-plugins-odd");
  fs::create_symlink(victim / "lock", parent() / "landfall-plugins-odd" / "lock");
  parent_.write("landfall-plugins-file", "");
  parent_.write("landfall-other/lock", "");
  parent_.write("landfall-plugins-foreign/lock", "");
  const bool is_foreign = ::chown((parent() / "landfall-plugins-foreign").c_str(), 1234, 1234) == 0;  // if we are root

  SocketHome home(parent());
  ASSERT_TRUE(room(home));
  EXPECT_TRUE(fs::exists(lived_in->path()));
  EXPECT_TRUE(fs::exists(victim / "lock"));
  for (const char* const name : {"link", "new", "odd", "file"}) {
    EXPECT_TRUE(fs::exists(parent() / (std::string("landfall-plugins-") + name))) << name;
  }
  EXPECT_TRUE(fs::exists(parent() / "landfall-other/lock"));
  EXPECT_EQ(fs::exists(parent() / "landfall-plugins-foreign"), is_foreign);
}

}  // namespace
}  // namespace landfall::plugin
