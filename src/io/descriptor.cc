#include "io/descriptor.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace landfall::io {
namespace {

Code code_of(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kForbidden;
    case EEXIST:
    case ENOTEMPTY:
      return Code::kAlreadyExists;
    case EISDIR:
    case EINVAL:
    case ELOOP:
    case ENAMETOOLONG:
      return Code::kInvalid;
    case EFBIG:
    case E2BIG:
      return Code::kTooLarge;
    case EAGAIN:
    case EBUSY:
    case ETXTBSY:
    case ESTALE:
      return Code::kUnavailable;
    case ETIMEDOUT:
      return Code::kTimeout;
    default:
      return Code::kInternal;  // disk full, quota, I/O error, out of descriptors or memory
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, kNone);
  }
  return *this;
}

void Descriptor::reset() {
  if (fd_ != kNone) {
    // Once only: on Linux the descriptor is free even when close was interrupted, and may be another's already.
    ::close(std::exchange(fd_, kNone));
  }
}

Error errno_error(std::string_view what, int number) {
  return {code_of(number), std::string(what) + ": " + std::generic_category().message(number)};
}

Result<std::size_t> read_descriptor(int fd, std::span<char> buffer) {
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) {
      return tl::unexpected(errno_error("read", errno));
    }
  }
}

Status write_descriptor(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);  // whatever it says, the next write knows better
    } else if (errno != EINTR) {
      return tl::unexpected(errno_error("write", errno));
    }
  }
  return {};
}

}  // namespace landfall::io
