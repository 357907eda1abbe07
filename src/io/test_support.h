#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "io/process.h"
#include "io/stream.h"
#include "io/temp_dir.h"

// What the tests of this module share.
namespace landfall::io {

// Hands out at most `step` bytes at a time, and fails after `fail_after` bytes if that is less than there are.
class StepReader final : public Reader {
 public:
  StepReader(std::string_view bytes, std::size_t step, std::size_t fail_after = std::string_view::npos)
      : bytes_(bytes), step_(step), fail_after_(fail_after) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    if (at_ >= fail_after_) {
      return fail(Code::kUnavailable, "connection cut");
    }
    const std::size_t most = std::min(bytes_.size(), fail_after_) - at_;
    const std::size_t count = std::min({buffer.size(), step_, most});
    bytes_.copy(buffer.data(), count, at_);
    at_ += count;
    return count;
  }

 private:
  std::string_view bytes_;
  std::size_t step_;
  std::size_t fail_after_;
  std::size_t at_ = 0;
};

// Takes so many bytes, then fails.
class FullWriter final : public Writer {
 public:
  explicit FullWriter(std::size_t room) : room_(room) {}

  Status write(std::string_view bytes) override {
    if (bytes.size() > room_) {
      return fail(Code::kInternal, "disk full");
    }
    room_ -= bytes.size();
    return {};
  }
  Status close() override { return {}; }

 private:
  std::size_t room_;
};

// Lets no file grow past a size, as a full disk does: the write that would fails in the middle.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most) {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &ignore, &signal_before_);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = most, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::sigaction(SIGXFSZ, &signal_before_, nullptr);
  }

 private:
  rlimit before_{};
  struct sigaction signal_before_{};
};

inline TempDir make_temp_dir() {
  auto directory = TempDir::create(testing::TempDir());
  EXPECT_TRUE(directory) << directory.error().message();
  return *std::move(directory);
}

// Runs a real program to its end and returns what it wrote; the test fails when the program does.
inline std::string run_program(std::vector<std::string> argv, const std::string& input = "",
                               const std::string& directory = "") {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C.UTF-8"}};
  spec.input = input;
  spec.directory = directory;
  spec.stdout_limit = 1UL << 28U;
  const auto result = make_system_process_runner(system_clock())->run(spec, {});
  EXPECT_TRUE(result) << result.error().message();
  if (!result) {
    return "";
  }
  EXPECT_TRUE(result->succeeded()) << describe(*result);
  return result->out;
}

}  // namespace landfall::io
