#include "uploader_program/special_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "testkit/temp_dir.h"

namespace landfall::uploader_program {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class SpecialFiles : public testing::Test {
 protected:
  SpecialFiles() {
    fs::create_directories(volume() / "a" / "b");
    fs::create_directory(directory_.path() / "outside");
    fs::create_symlink("nowhere", directory_.path() / "outside" / "link");
    fs::create_symlink("../outside", volume() / "door");
    fs::create_symlink("nowhere", volume() / "a" / "link");
    EXPECT_EQ(::mkfifo((volume() / "a" / "b" / "pipe").c_str(), 0600), 0);
    std::ofstream(volume() / "a" / "file") << "kept";
  }
  fs::path volume() const { return directory_.path() / "volume"; }
  io::Descriptor open() const { return io::Descriptor(::open(volume().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

  testkit::TempDir directory_;
};

TEST_F(SpecialFiles, AreFoundHoweverDeepAndNotBehindLinks) {
  std::vector<std::string> found;
  const Status walked = for_each_special(open(),
                                         [&](int, const std::string& path, const std::string& name) -> Status {
                                           found.push_back(path + ":" + name);
                                           return {};
                                         },
                                         {});
  ASSERT_TRUE(walked) << walked.error().message();
  EXPECT_THAT(found, UnorderedElementsAre(":door", "a:link", "a/b:pipe"));
}

TEST_F(SpecialFiles, AreRemovedAndNothingElse) {
  const io::Descriptor root = open();
  for (const char* name : {"door", "a", "none"}) EXPECT_TRUE(remove_special(root.get(), name)) << name;
  const auto inner = open_below(root.get(), "a");
  ASSERT_TRUE(inner);
  EXPECT_TRUE(remove_special(inner->get(), "file"));
  EXPECT_FALSE(fs::is_symlink(volume() / "door"));
  EXPECT_TRUE(fs::exists(volume() / "a" / "file"));
  EXPECT_TRUE(fs::is_symlink(directory_.path() / "outside" / "link"));
}

TEST_F(SpecialFiles, LeadIntoNoDirectory) {
  const io::Descriptor root = open();
  EXPECT_TRUE(open_below(root.get(), "a/b").value());
  EXPECT_TRUE(open_below(root.get(), "").value());
  for (const char* path : {"door", "door/link", "a/link", "a/file", "a/b/pipe", "none/deeper"}) {
    EXPECT_FALSE(open_below(root.get(), path).value()) << path;
  }
}

TEST_F(SpecialFiles, AStopEndsTheSearch) {
  std::stop_source stop;
  stop.request_stop();
  const Status walked =
      for_each_special(open(), [](int, const std::string&, const std::string&) { return Status(); }, stop.get_token());
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::uploader_program
