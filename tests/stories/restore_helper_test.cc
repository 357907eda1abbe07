// The program that holds a restored pod back until its volumes are filled.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/guarded.h"
#include "io/process.h"
#include "stories/patience.h"
#include "testkit/temp_dir.h"

namespace landfall::stories {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RestoreHelper : public testing::Test {
 protected:
  io::ProcessSpec spec(const std::string& uid) {
    io::ProcessSpec spec;
    spec.argv = {fs::canonical("/proc/self/exe").parent_path() / "landfall-restore-helper", uid,
                 directory_.path().string()};
    spec.on_stdout_line = [this](std::string_view line) {
      lines_.update([&](auto& lines) { lines.emplace_back(line); });
    };
    return spec;
  }
  void fill(const std::string& volume) {
    fs::create_directories(directory_.path() / volume / ".velero");
    std::ofstream(directory_.path() / volume / ".velero" / "uid-1").close();
  }
  bool says(const std::string& line) {
    return lines_.wait_until(system_clock(), {}, system_clock().after(kPatience),
                             [&](const auto& lines) { return std::ranges::find(lines, line) != lines.end(); });
  }

  const testkit::TempDir directory_;
  Monitor<std::vector<std::string>> lines_;
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
};

TEST_F(RestoreHelper, WaitsForEveryVolumeAndTakesTheSignsAway) {
  fs::create_directory(directory_.path() / "data");
  fs::create_directory(directory_.path() / "logs");
  Monitor<std::optional<int>> exit;
  std::jthread waiting([&](const std::stop_token& stop) {
    const auto ran = processes_->run(spec("uid-1"), stop);
    exit.update([&](auto& it) { it = ran ? ran->exit_code : -1; });
  });
  ASSERT_TRUE(says("0 of 2 volumes are restored"));
  fill("data");
  ASSERT_TRUE(says("1 of 2 volumes are restored"));
  EXPECT_FALSE(exit.copy());
  fill("logs");
  ASSERT_TRUE(exit.wait_until(system_clock(), {}, system_clock().after(kPatience),
                              [](const auto& it) { return it.has_value(); }));
  EXPECT_EQ(exit.copy(), 0);
  EXPECT_FALSE(fs::exists(directory_.path() / "data" / ".velero"));
  EXPECT_FALSE(fs::exists(directory_.path() / "logs" / ".velero"));
}

TEST_F(RestoreHelper, IsNotTakenInByTheSignOfAnotherRestore) {
  fill("data");
  std::stop_source stop;
  std::jthread waiting([&] { (void)processes_->run(spec("uid-2"), stop.get_token()); });
  EXPECT_TRUE(says("0 of 1 volumes are restored"));
  EXPECT_TRUE(fs::exists(directory_.path() / "data" / ".velero" / "uid-1"));
  stop.request_stop();
}

TEST_F(RestoreHelper, SaysHowItIsCalled) {
  const auto ran = processes_->run(spec("../elsewhere"), {});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->exit_code, 1);
  EXPECT_THAT(ran->err, HasSubstr("usage: landfall-restore-helper RESTORE-UID"));
}

}  // namespace
}  // namespace landfall::stories
