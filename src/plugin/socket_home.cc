#include "plugin/socket_home.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/descriptor.h"

namespace landfall::plugin {
namespace {

namespace fs = std::filesystem;

// A socket's path has 107 bytes in all. Behind the parent come 24 for the home, 16 for the room and 19 for the socket.
constexpr std::size_t kLongestParent = 48;
constexpr std::string_view kPrefix = "landfall-plugins-";
constexpr const char* kLock = "lock";
constexpr int kMostTries = 10;

bool take(const io::Descriptor& lock) { return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0; }

// The caller holds the lock, which goes last: without it nobody would know that the rest may go. Links are removed, not
// followed.
void remove_home(const fs::path& path) {
  std::error_code ignored;  // nobody to tell, and tried again by the next process
  for (fs::directory_iterator one(path, ignored), end; !ignored && one != end; one.increment(ignored)) {
    std::error_code failed;
    if (one->path().filename() != kLock) fs::remove_all(one->path(), failed);
    if (failed) return;
  }
  fs::remove_all(path, ignored);
}

void remove_if_left(const fs::path& path) {
  // NOLINTNEXTLINE(*-vararg): it is how it is
  const io::Descriptor home(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!home || ::fstat(home.get(), &info) != 0 || info.st_uid != ::geteuid()) return;
  // One without a lock is just being made.
  const io::Descriptor lock(
      ::openat(home.get(), kLock, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));  // NOLINT(*-vararg)
  if (take(lock)) remove_home(path);
}

void remove_left(const std::string& parent) {
  std::error_code ignored;
  for (fs::directory_iterator one(parent, ignored), end; !ignored && one != end; one.increment(ignored)) {
    if (one->path().filename().string().starts_with(kPrefix)) remove_if_left(one->path());
  }
}

}  // namespace

struct SocketHome::Opened {
  std::string path;
  io::Descriptor lock;

  Opened(std::string home, io::Descriptor held) : path(std::move(home)), lock(std::move(held)) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { remove_home(path); }

  static Result<std::shared_ptr<const Opened>> make(const std::string& parent) {
    for (int tries = 0; tries < kMostTries; ++tries) {
      std::string path = parent + "/" + std::string(kPrefix) + "XXXXXX";
      if (::mkdtemp(path.data()) == nullptr) return tl::unexpected(io::errno_error("create " + path, errno));
      const std::string file = path + "/" + kLock;
      // NOLINTNEXTLINE(*-vararg): it is how it is
      io::Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (!lock) {
        const int why = errno;
        ::rmdir(path.c_str());
        return tl::unexpected(io::errno_error("create " + file, why));
      }
      // Between the two calls somebody who removes what was left may have taken it for that.
      struct stat info{};
      if (take(lock) && ::fstat(lock.get(), &info) == 0 && info.st_nlink > 0) {
        return std::make_shared<const Opened>(std::move(path), std::move(lock));
      }
    }
    return fail(Code::kUnavailable, "lock a directory for sockets in " + parent);
  }
};

SocketHome::SocketHome(const std::string& temp_dir) : parent_(temp_dir.size() <= kLongestParent ? temp_dir : "/tmp") {}
SocketHome::~SocketHome() = default;

Result<io::TempDir> SocketHome::room(Clock& clock, const std::stop_token& stop) {
  std::shared_ptr<const Opened> home;
  const bool is_turn = state_.wait_then(
      clock, stop, kNever, [](const State& state) { return !state.is_opening; },
      [&](State& state) {
        home = state.opened;
        state.is_opening = !home;
      });
  if (!is_turn) return fail(Code::kCancelled, "stopped");
  if (home) return io::TempDir::create(home->path);
  remove_left(parent_);
  auto made = Opened::make(parent_);
  state_.update([&](State& state) {
    state.is_opening = false;
    if (made) state.opened = *made;
  });
  if (!made) return tl::unexpected(std::move(made).error());
  return io::TempDir::create((*made)->path);
}

}  // namespace landfall::plugin
