// landfall-restore-helper: the init container `restore-wait` of a restored pod. Holds the pod back until every volume
// below /restores has the file that says it is filled: .velero/<UID of the Restore>. Small, static, and on its own: it
// runs in the users' pods.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr const char* kRestores = "/restores";

std::vector<std::string> volumes_below(const std::string& root) {
  std::vector<std::string> volumes;
  DIR* directory = ::opendir(root.c_str());
  if (directory == nullptr) return volumes;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): unsafe only for a stream that threads share.
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat info{};
    const std::string path = root + "/" + name;
    if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) volumes.push_back(path);
  }
  ::closedir(directory);
  return volumes;
}

bool is_filled(const std::string& volume, const std::string& uid) {
  struct stat info{};
  return ::lstat((volume + "/.velero/" + uid).c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// Best effort: a pod that may not write there starts all the same.
void tidy(const std::string& volume, const std::string& uid) {
  ::unlink((volume + "/.velero/" + uid).c_str());
  ::rmdir((volume + "/.velero").c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strchr(argv[1], '/') != nullptr || argv[1][0] == '\0') {
    std::fputs("usage: landfall-restore-helper RESTORE-UID [DIRECTORY]\n", stderr);
    return 1;
  }
  const std::string uid = argv[1];
  const std::string root = argc > 2 ? argv[2] : kRestores;
  // As the first process of its container it would not be stopped by default.
  std::signal(SIGTERM, [](int) { ::_exit(143); });
  while (true) {
    const std::vector<std::string> volumes = volumes_below(root);
    std::size_t filled = 0;
    for (const std::string& volume : volumes) filled += is_filled(volume, uid) ? 1U : 0U;
    if (!volumes.empty() && filled == volumes.size()) {
      for (const std::string& volume : volumes) tidy(volume, uid);
      std::puts("All volumes are restored.");
      return 0;
    }
    std::printf("%zu of %zu volumes are restored\n", filled, volumes.size());
    std::fflush(stdout);
    const timespec second{.tv_sec = 1, .tv_nsec = 0};
    ::nanosleep(&second, nullptr);  // allow-call: a program of its own, which SIGTERM ends
  }
}
