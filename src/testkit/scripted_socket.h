#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

namespace landfall::testkit {

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// A socket that is read and written with blocking calls, plain or under TLS, all of which end when the stop descriptor
// becomes readable. For ScriptedConnection only.
class ScriptedSocket {
 public:
  // Takes over `fd`, borrows the rest.
  ScriptedSocket(int fd, int stop_fd) : fd_(fd), stop_fd_(stop_fd) {}
  ~ScriptedSocket() { close(); }
  ScriptedSocket(const ScriptedSocket&) = delete;
  ScriptedSocket& operator=(const ScriptedSocket&) = delete;

  bool start_tls(SSL_CTX* context);
  // At least one byte; 0 at the end, after an error and when stopped.
  std::size_t read(std::span<char> buffer);
  bool write(std::string_view bytes);
  void close();
  void reset();

 private:
  bool wait(short events) const;
  bool wait_for_tls(int result) const;
  void drain();

  int fd_;
  int stop_fd_;
  std::unique_ptr<SSL, SslFree> ssl_;
};

}  // namespace landfall::testkit
