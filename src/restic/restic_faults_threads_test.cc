// What goes wrong with the real restic.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "base/guarded.h"
#include "base/strings.h"
#include "io/file.h"
#include "restic/test_restic.h"

namespace landfall::restic {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ResticFaults : public Restic {
 protected:
  fs::path locks() const { return fs::path(repository().path) / "locks"; }
  // A whole one: it is written under another name first.
  bool has_lock() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(locks(), error)) {
      if (entry.path().filename().string().size() == 64) return true;
    }
    return false;
  }

  // Starts a restic that locks the repository for itself alone, and stands still from then on.
  void start_holder() {
    while (held_.copy() == 0) {
      holder_ = std::async(std::launch::async, [this] {
        auto ran = hold();
        held_.update([](int& pid) { pid = pid == 0 ? kTooFast : pid; });
        return ran;
      });
      held_.wait_until(system_clock(), {}, kNever, [](int pid) { return pid != 0; });
      held_.update([](int& pid) { pid = pid == kTooFast ? 0 : pid; });  // it was done before we looked: another one
    }
  }
  void end_holder() {
    ::kill(held_.copy(), SIGKILL);
    const auto ran = holder_.get();
    ASSERT_TRUE(ran) << ran.error().message();
    EXPECT_EQ(ran->signal, SIGKILL);
  }

 private:
  static constexpr int kTooFast = -1;

  Result<io::ProcessResult> hold() {
    io::ProcessSpec spec;
    spec.argv = {GetParam(), "--quiet", "--no-cache", "check", "--read-data"};
    spec.env = {
        {"PATH", options().path}, {"RESTIC_PASSWORD", repository().password}, {"RESTIC_REPOSITORY", repository().path}};
    spec.tick = std::chrono::milliseconds(1);
    spec.on_tick = [this](int pid) {
      if (held_.copy() != 0 || !has_lock()) return;
      ::kill(pid, SIGSTOP);
      const std::string state = "/proc/" + std::to_string(pid) + "/stat";
      std::string now;
      do now = io::read_file(state, 10'000).value_or(") Z ");
      while (!contains(now, ") T ") && !contains(now, ") Z "));
      if (has_lock()) {
        held_.update([&](int& held) { held = pid; });
      } else {
        ::kill(pid, SIGCONT);
      }
    };
    return processes_->run(spec, {});
  }

  Monitor<int> held_;
  std::future<Result<io::ProcessResult>> holder_;
};

INSTANTIATE_TEST_SUITE_P(Programs, ResticFaults, restic_programs(), restic_name);

TEST_P(ResticFaults, ALockOfALivingProcessIsAConflictAndOfADeadOneNone) {
  write(volume() / "a", bytes(20 << 20, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  upload();
  start_holder();
  const auto blocked = uploader_.upload(repository(), {.directory = volume()}, reporter_, {});
  EXPECT_FALSE(blocked);
  if (!blocked) {
    EXPECT_EQ(blocked.error().code(), Code::kConflict) << blocked.error().message();
    EXPECT_THAT(blocked.error().message(), HasSubstr("locked"));
  }
  end_holder();
  ASSERT_TRUE(has_lock());
  const auto up = uploader_.upload(repository(), {.directory = volume()}, reporter_, {});
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_FALSE(has_lock());
}

TEST_P(ResticFaults, MaintenanceTakesTheLockOfADeadProcessAway) {
  write(volume() / "a", bytes(20 << 20, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  upload();
  start_holder();
  end_holder();
  ASSERT_TRUE(has_lock());
  const Status maintained = uploader_.maintain(repository(), {});
  ASSERT_TRUE(maintained) << maintained.error().message();
  EXPECT_FALSE(has_lock());
}

TEST_P(ResticFaults, ARepositoryThatGoesAwayIsAnErrorAndNoEndlessTrying) {
  for (int i = 0; i < 30; ++i) write(volume() / std::to_string(i), bytes(2 << 20, static_cast<std::uint64_t>(i)));
  ResticOptions hasty = options();
  hasty.patience = std::chrono::seconds(2);
  ResticUploader uploader(hasty, *processes_);
  ASSERT_TRUE(uploader.open(repository(), IfMissing::kCreate, {}));
  const fs::path away = repository().path + ".away";
  std::jthread remover([&](const std::stop_token& done) {
    while (!done.stop_requested() && !has_lock()) std::this_thread::yield();
    // Its folders are not made again where a file stands.
    std::error_code ignored;
    fs::rename(repository().path, away, ignored);
    write(repository().path, "");
  });
  const auto up = uploader.upload(repository(), {.directory = volume()}, reporter_, {});
  ASSERT_FALSE(up);
  EXPECT_NE(up.error().code(), Code::kCancelled) << up.error().message();
  EXPECT_THAT(up.error().message(), HasSubstr("repository"));
}

TEST_P(ResticFaults, ARepositoryThatGoesAwayDuringARestoreIsAnErrorAndNoEndlessTrying) {
  write(volume() / "a", bytes(2 << 20, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  ResticOptions hasty = options();
  hasty.patience = std::chrono::seconds(2);
  hasty.cache_directory.clear();
  hasty.program = directory_.path() / "cut-off";
  write(hasty.program, "#!/bin/sh\ncase \"$*\" in *\" restore \"*) mv " + repository().path + "/data " +
                           repository().path + "/away;; esac\nexec " + GetParam() + " \"$@\"\n");
  fs::permissions(hasty.program, fs::perms::all);
  ResticUploader uploader(hasty, *processes_);
  progress::ByteReporter reporter(system_clock(), Logger());
  const auto down = uploader.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter, {});
  ASSERT_FALSE(down);
  EXPECT_NE(down.error().code(), Code::kCancelled);
  EXPECT_THAT(down.error().message(), HasSubstr("no such file or directory"));
  EXPECT_LT(reporter.snapshot().bytes.done, 64 * kKiB);
}

TEST_P(ResticFaults, AFullDiskIsSaid) {
  write(volume() / "big", bytes(4 << 20, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  if (::mount("tmpfs", target().c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "may not mount a small disk";
  const auto down = uploader_.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter_, {});
  ::umount(target().c_str());
  ASSERT_FALSE(down);
  EXPECT_THAT(down.error().message(), AllOf(HasSubstr("the disk is full"), HasSubstr("big")));
}

TEST_P(ResticFaults, AFileThatCannotBeReadIsNamedAndTheOthersAreStored) {
  write(volume() / "secret", "nobody may read this");
  write(volume() / "open", "12345");
  fs::permissions(volume() / "secret", fs::perms::none);
  ResticOptions humble = options();
  if (::geteuid() == 0) {
    // As somebody who is not allowed everything.
    humble.program = directory_.path() / "humble";
    write(humble.program,
          "#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups " + GetParam() + " \"$@\"\n");
    fs::permissions(humble.program, fs::perms::all);
    for (const char* const name : {"", "repository", "cache"}) {
      fs::create_directories(directory_.path() / name);
      fs::permissions(directory_.path() / name, fs::perms::all);
    }
  }
  ResticUploader uploader(humble, *processes_);
  const Status opened = uploader.open(repository(), IfMissing::kCreate, {});
  ASSERT_TRUE(opened) << opened.error().message();
  const auto up = uploader.upload(repository(), {.directory = volume()}, reporter_, {});
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_EQ(up->unreadable_count, 1U);
  EXPECT_THAT(up->unreadable, ElementsAre(AllOf(HasSubstr("secret"), testing::ContainsRegex("[Pp]ermission denied"))));
  EXPECT_EQ(up->total, ByteCount(5));
}

TEST_P(ResticFaults, HugeSparseFilesStaySparseWhereTheReleaseCan) {
  constexpr std::uintmax_t kSize = 1UL << 30U;
  write(volume() / "sparse", "begins");
  fs::resize_file(volume() / "sparse", kSize);
  ResticProgram program(options(), *processes_);
  if (!program.version({}).value().writes_sparse_files()) GTEST_SKIP() << "this restic cannot";
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  EXPECT_EQ(up.total, kGiB);
  const auto down = uploader_.download(
      repository(), {.snapshot = up.snapshot, .directory = target(), .writes_sparse_files = true}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, kGiB);
  EXPECT_EQ(fs::file_size(target() / "sparse"), kSize);
  struct stat info{};
  ASSERT_EQ(::stat((target() / "sparse").c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 64 << 20);
}

}  // namespace
}  // namespace landfall::restic
