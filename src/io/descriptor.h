#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace landfall::io {

// Owns an open file descriptor and closes it. Every descriptor in this module is opened with O_CLOEXEC, so that no
// child inherits it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, kNone)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  explicit operator bool() const { return fd_ != kNone; }
  int get() const { return fd_; }
  void reset();

 private:
  static constexpr int kNone = -1;
  int fd_ = kNone;
};

// What errno says, as an error: "open /etc/x: Permission denied". The code is what the caller can do about it.
Error errno_error(std::string_view what, int number);

// Both go on after an interrupting signal. read_descriptor returns 0 at the end; write_descriptor writes everything,
// and waits where the descriptor is set not to block.
Result<std::size_t> read_descriptor(int fd, std::span<char> buffer);
Status write_descriptor(int fd, std::string_view bytes);

}  // namespace landfall::io
