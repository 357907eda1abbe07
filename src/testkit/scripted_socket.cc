#include "testkit/scripted_socket.h"

#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

namespace landfall::testkit {
namespace {

int as_int(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

bool ScriptedSocket::wait(short events) const {
  std::array<pollfd, 2> watched{
      {{.fd = fd_, .events = events, .revents = 0}, {.fd = stop_fd_, .events = POLLIN, .revents = 0}}};
  while (::poll(watched.data(), watched.size(), -1) < 0) {
    if (errno != EINTR) {
      return false;
    }
  }
  return watched[1].revents == 0;
}

bool ScriptedSocket::wait_for_tls(int result) const {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    return wait(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
  }
  ERR_clear_error();
  return false;
}

bool ScriptedSocket::start_tls(SSL_CTX* context) {
  ssl_.reset(SSL_new(context));
  if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), fd_) != 1) {
    return false;
  }
  int result = 0;
  while ((result = SSL_accept(ssl_.get())) != 1) {
    if (!wait_for_tls(result)) {
      drain();
      return false;
    }
  }
  return true;
}

// A close with bytes unread would become a reset, and could take away the alert that says what is wrong.
void ScriptedSocket::drain() {
  ssl_.reset();
  ::shutdown(fd_, SHUT_WR);
  std::array<char, 1024> dropped{};
  while (read(dropped) > 0) {
  }
}

std::size_t ScriptedSocket::read(std::span<char> buffer) {
  while (fd_ >= 0) {
    if (ssl_ != nullptr) {
      const int got = SSL_read(ssl_.get(), buffer.data(), as_int(buffer.size()));
      if (got > 0) {
        return static_cast<std::size_t>(got);
      }
      if (!wait_for_tls(got)) {
        return 0;
      }
      continue;
    }
    const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR && (errno != EAGAIN || !wait(POLLIN))) {
      return 0;
    }
  }
  return 0;
}

bool ScriptedSocket::write(std::string_view bytes) {
  while (!bytes.empty() && fd_ >= 0) {
    if (ssl_ != nullptr) {
      const int put = SSL_write(ssl_.get(), bytes.data(), as_int(bytes.size()));
      if (put > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(put));
      } else if (!wait_for_tls(put)) {
        return false;
      }
      continue;
    }
    const ssize_t put = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR && (errno != EAGAIN || !wait(POLLOUT))) {
      return false;
    }
  }
  return bytes.empty();
}

void ScriptedSocket::close() {
  if (fd_ < 0) {
    return;
  }
  if (ssl_ != nullptr) {
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
    ssl_.reset();
  }
  ::close(std::exchange(fd_, -1));
}

void ScriptedSocket::reset() {
  if (fd_ < 0) {
    return;
  }
  const linger abort{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  ssl_.reset();  // without a goodbye
  ::close(std::exchange(fd_, -1));
}

}  // namespace landfall::testkit
