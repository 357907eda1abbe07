#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/random.h"
#include "restic/restic_uploader.h"
#include "testkit/gate.h"
#include "testkit/temp_dir.h"

// For tests with the real restic: the one that is installed, and another one where LANDFALL_REAL_RESTIC names it.
namespace landfall::restic {

namespace fs = std::filesystem;
using extension::IfMissing;
using extension::RepositoryAccess;

inline void write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }

inline std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string bytes(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::string text(count, '\0');
  for (char& c : text) c = static_cast<char>(random.uniform(256));
  return text;
}

// A volume, a repository beside it, and the restic that the test is for.
class Restic : public testing::TestWithParam<std::string> {
 protected:
  Restic() {
    fs::create_directory(volume());
    fs::create_directory(target());
  }
  void SetUp() override {
    if (GetParam().empty()) GTEST_SKIP() << "LANDFALL_REAL_RESTIC names no other restic";
  }

  fs::path volume() const { return directory_.path() / "volume"; }
  fs::path target() const { return directory_.path() / "target"; }
  RepositoryAccess repository() const { return {.path = directory_.path() / "repository", .password = "pass word"}; }
  ResticOptions options() const {
    return {.program = GetParam(),
            .cache_directory = directory_.path() / "cache",
            .temporary_directory = directory_.path(),
            .progress_interval = std::chrono::milliseconds(20)};
  }
  progress::ByteReporter& listen() {
    reporter_.subscribe(
        "test",
        [this](const progress::ByteProgress& now, const std::stop_token&) -> Status {
          seen_.push_back(now);
          heard_.open();
          return {};
        },
        std::chrono::milliseconds(1));
    reporter_.start();
    EXPECT_TRUE(heard_.await());  // the beginning is among what is seen, however late that thread gets its turn
    return reporter_;
  }
  extension::UploadedVolume upload(std::map<std::string, std::string> tags = {}) {
    return uploader_.upload(repository(), {.directory = volume(), .tags = std::move(tags)}, reporter_, {}).value();
  }

  testkit::TempDir directory_;
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  ResticUploader uploader_{options(), *processes_};
  std::vector<progress::ByteProgress> seen_;
  testkit::Gate heard_;
  progress::ByteReporter reporter_{system_clock(), Logger()};
};

// The parameters of such tests.
inline auto restic_programs() {
  return testing::Values(std::string("restic"),
                         Environment::of_process().get("LANDFALL_REAL_RESTIC").value_or(std::string()));
}
inline std::string restic_name(const testing::TestParamInfo<std::string>& param) {
  return param.index == 0 ? "Installed" : "Other";
}

}  // namespace landfall::restic
