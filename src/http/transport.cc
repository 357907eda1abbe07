// Asio has memory fences beside its locks; g++'s ThreadSanitizer knows the locks only, and warns of the fences.
#if defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

#include "http/transport.h"

#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "http/io_loop.h"
#include "http/tls_context.h"

namespace landfall::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;

constexpr std::size_t kMostPieces = 64;
constexpr int kUnsentBytes = 128 * 1024;
constexpr std::size_t kTlsRecord = std::size_t{16} * 1024;

Transport::Outcome outcome_of(const error_code& error, std::size_t bytes) {
  if (!error) return {.bytes = bytes, .end = Transport::End::kNone, .error = {}};
  // A TLS client that just closes its socket has gone all the same; our messages carry their own length.
  const bool closed = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  return {.bytes = bytes, .end = closed ? Transport::End::kClosed : Transport::End::kFailed, .error = error};
}

void set_tcp_option(int descriptor, int name, int value) {
  ::setsockopt(descriptor, IPPROTO_TCP, name, &value, sizeof(value));
}

Socket adopt(IoLoop& loop, int descriptor) {
  set_tcp_option(descriptor, TCP_NODELAY, 1);
  // What the client has not taken waits in our bounded queue, not in the kernel's, which grows to megabytes.
  set_tcp_option(descriptor, TCP_NOTSENT_LOWAT, kUnsentBytes);
  // A peer that vanished without a word is noticed even if nothing is ever sent to it.
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  set_tcp_option(descriptor, TCP_KEEPIDLE, 30);
  set_tcp_option(descriptor, TCP_KEEPINTVL, 10);
  set_tcp_option(descriptor, TCP_KEEPCNT, 3);
  Socket socket(loop.context().get_executor());
  error_code error;
  socket.assign(asio::ip::tcp::v6(), descriptor, error);  // the family only matters for opening
  if (error) {
    ::close(descriptor);  // the first read will fail
  } else {
    socket.non_blocking(true, error);
  }
  return socket;
}

class PlainTransport final : public Transport {
 public:
  PlainTransport(IoLoop& loop, int descriptor)
      : executor_(loop.context().get_executor()), socket_(adopt(loop, descriptor)) {}

  void handshake(Self self) override {
    asio::post(executor_, [self = std::move(self)] { self->on_handshake({}); });
  }
  std::shared_ptr<const ClientIdentity> identity() const override { return nullptr; }

  void read(Self self, std::span<char> buffer) override {
    socket_.async_read_some(asio::buffer(buffer.data(), buffer.size()),
                            [self = std::move(self)](const error_code& error, std::size_t bytes) {
                              self->on_read(outcome_of(error, bytes));
                            });
  }

  void write(Self self, std::span<const std::string_view> pieces) override {
    buffers_.clear();
    for (const std::string_view piece : pieces.first(std::min(pieces.size(), kMostPieces))) {
      buffers_.emplace_back(piece.data(), piece.size());
    }
    socket_.async_write_some(std::span<const asio::const_buffer>(buffers_),
                             [self = std::move(self)](const error_code& error, std::size_t bytes) {
                               self->on_write(outcome_of(error, bytes));
                             });
  }

  void close_sending(Self self) override {
    error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    asio::post(executor_, [self = std::move(self)] { self->on_sending_closed(); });
  }

  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }

  void wake(Self self) override {
    asio::post(executor_, [self = std::move(self)] { self->on_wake(); });
  }

 private:
  const asio::io_context::executor_type executor_;
  Socket socket_;
  std::vector<asio::const_buffer> buffers_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(IoLoop& loop, int descriptor, SSL* session)
      : executor_(loop.context().get_executor()), stream_(adopt(loop, descriptor), session), session_(session) {}

  void handshake(Self self) override {
    stream_.async_handshake(asio::ssl::stream_base::server, [self = std::move(self)](const error_code& error) {
      self->on_handshake(outcome_of(error, 0));
    });
  }
  std::shared_ptr<const ClientIdentity> identity() const override { return client_identity(session_); }

  void read(Self self, std::span<char> buffer) override {
    const auto done = [self = std::move(self)](const error_code& error, std::size_t bytes) {
      self->on_read(outcome_of(error, bytes));
    };
    if (sending_closed_) {  // TLS is over: only the bytes in flight are of interest
      stream_.next_layer().async_read_some(asio::buffer(buffer.data(), buffer.size()), done);
    } else {
      stream_.async_read_some(asio::buffer(buffer.data(), buffer.size()), done);
    }
  }

  // One write is one record, and the stream would make a record of each piece: collect them first.
  void write(Self self, std::span<const std::string_view> pieces) override {
    std::size_t wanted = 0;
    for (const std::string_view piece : pieces) wanted = std::min(wanted + piece.size(), kTlsRecord);
    record_ = std::make_unique_for_overwrite<char[]>(wanted);
    std::size_t filled = 0;
    for (const std::string_view piece : pieces) {
      const std::size_t part = std::min(piece.size(), wanted - filled);
      std::memcpy(record_.get() + filled, piece.data(), part);
      filled += part;
      if (filled == wanted) break;
    }
    stream_.async_write_some(asio::buffer(record_.get(), filled),
                             [this, self = std::move(self)](const error_code& error, std::size_t bytes) {
                               record_.reset();
                               self->on_write(outcome_of(error, bytes));
                             });
  }

  void close_sending(Self self) override {
    stream_.async_shutdown([this, self = std::move(self)](const error_code& /*error*/) {
      sending_closed_ = true;
      error_code ignored;
      stream_.next_layer().shutdown(asio::socket_base::shutdown_send, ignored);
      self->on_sending_closed();
    });
  }

  void close() override {
    error_code ignored;
    stream_.next_layer().close(ignored);
  }

  void wake(Self self) override {
    asio::post(executor_, [self = std::move(self)] { self->on_wake(); });
  }

 private:
  const asio::io_context::executor_type executor_;
  asio::ssl::stream<Socket> stream_;
  const SSL* const session_;  // the stream's
  std::unique_ptr<char[]> record_;
  bool sending_closed_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_plain_transport(IoLoop& loop, int descriptor) {
  return std::make_unique<PlainTransport>(loop, descriptor);
}

std::unique_ptr<Transport> make_tls_transport(IoLoop& loop, int descriptor, const TlsContext& context) {
  SSL* session = SSL_new(context.native());
  if (session == nullptr) {
    ::close(descriptor);
    return nullptr;
  }
  return std::make_unique<TlsTransport>(loop, descriptor, session);
}

}  // namespace landfall::http
