#pragma once

#include <poll.h>
#include <sys/inotify.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/descriptor.h"
#include "io/file.h"

namespace landfall {

// Tells of files the moment they appear in a folder, by creation, link or rename. Hears from its construction on; the
// folder must exist.
class FolderWatch {
 public:
  // Whether a file is the one that is waited for.
  using Wanted = std::function<bool(const std::string& name)>;

  explicit FolderWatch(const std::filesystem::path& folder) : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (!events_ || ::inotify_add_watch(events_.get(), folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0) {
      throw std::runtime_error("cannot watch " + folder.string());
    }
  }

  // Waits until such a file has appeared so many times; false when it gave up, which is asked for while nothing
  // happens.
  bool wait(const Wanted& wanted, int times, const std::function<bool()>& give_up) {
    while (true) {
      pollfd ready{.fd = events_.get(), .events = POLLIN, .revents = 0};
      constexpr int kPatience = 200;  // milliseconds
      if (::poll(&ready, 1, kPatience) == 0 && give_up()) return false;
      if (count(wanted, times)) return true;
    }
  }

 private:
  bool count(const Wanted& wanted, int& times) {
    alignas(inotify_event) std::array<char, 16UL * 1024> buffer{};
    const auto got = io::read_descriptor(events_.get(), buffer);
    if (!got) return false;
    for (std::size_t at = 0; at < *got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const std::string name(buffer.data() + at + sizeof(event));
      if (event.len > 0 && wanted(name) && --times == 0) return true;
      at += sizeof(event) + event.len;
    }
    return false;
  }

  io::Descriptor events_;
};

}  // namespace landfall
