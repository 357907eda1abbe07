// Asio has memory fences beside its locks; g++'s ThreadSanitizer knows the locks only, and warns of the fences.
#if defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

#include "http/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "http/io_loop.h"

namespace landfall::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kPause = std::chrono::milliseconds(100);
constexpr int kAtOnce = 64;  // then the connections of this loop have their turn

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress ipv4(const in_addr& address, std::uint16_t port) {
  SocketAddress result;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr = address;
  v4.sin_port = htons(port);
  std::memcpy(&result.storage, &v4, sizeof(v4));
  result.length = sizeof(v4);
  return result;
}

SocketAddress ipv6(const in6_addr& address, std::uint16_t port) {
  SocketAddress result;
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = address;
  v6.sin6_port = htons(port);
  std::memcpy(&result.storage, &v6, sizeof(v6));
  result.length = sizeof(v6);
  return result;
}

std::optional<SocketAddress> parse_address(const std::string& text, std::uint16_t port) {
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, text == "localhost" ? "127.0.0.1" : text.c_str(), &v4) == 1) return ipv4(v4, port);
  if (::inet_pton(AF_INET6, text.c_str(), &v6) == 1) return ipv6(v6, port);
  return std::nullopt;
}

Code code_of(int error) {
  switch (error) {
    case EADDRINUSE:
      return Code::kAlreadyExists;
    case EACCES:
    case EPERM:
      return Code::kForbidden;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      return Code::kInvalid;
    default:
      return Code::kInternal;
  }
}

tl::unexpected<Error> fail_errno(int error) { return fail(code_of(error), std::generic_category().message(error)); }

// A bound, listening, non-blocking descriptor.
Result<int> listen_on(SocketAddress address) {
  const int descriptor = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return fail_errno(errno);
  const int on = 1;
  const int off = 0;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.storage.ss_family == AF_INET6) {
    ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (::bind(descriptor, address.raw(), address.length) != 0 || ::listen(descriptor, SOMAXCONN) != 0) {
    const int error = errno;
    ::close(descriptor);
    return fail_errno(error);
  }
  return descriptor;
}

Result<int> listen_everywhere(std::uint16_t port) {
  Result<int> both = listen_on(ipv6(in6addr_any, port));
  if (both || both.error().code() != Code::kInvalid) return both;
  return listen_on(ipv4(in_addr{.s_addr = htonl(INADDR_ANY)}, port));  // a machine without IPv6
}

Peer peer_of(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  Peer peer;
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.storage, sizeof(v4));
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    peer.port = ntohs(v4.sin_port);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address.storage, sizeof(v6));
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    peer.port = ntohs(v6.sin6_port);
  }
  std::string_view spelled(text.data());
  static constexpr std::string_view kMapped = "::ffff:";  // an IPv4 client of a socket that takes both
  if (spelled.starts_with(kMapped) && spelled.find('.') != std::string_view::npos)
    spelled.remove_prefix(kMapped.size());
  peer.address = spelled;
  return peer;
}

}  // namespace

struct Listener::Impl {
  Impl(IoLoop& loop, Logger logger) : log(std::move(logger)), socket(loop.context()), pause(loop.context()) {}

  void wait() {
    socket.async_wait(asio::posix::stream_descriptor::wait_read, [this](const error_code& error) {
      if (!error) accept_all();
    });
  }

  void accept_all() {
    for (int i = 0; i < kAtOnce; ++i) {
      SocketAddress address;
      address.length = sizeof(address.storage);
      const int descriptor =
          ::accept4(socket.native_handle(), address.raw(), &address.length, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (descriptor >= 0) {
        accepted(descriptor, peer_of(address));
        continue;
      }
      const int error = errno;
      if (error == EAGAIN) break;
      if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) return wait_a_little(error);
      // Anything else belongs to a connection that is gone already.
    }
    wait();
  }

  // Descriptors or memory have run out: the connection stays in the kernel's queue, and asking at once would only spin.
  void wait_a_little(int error) {
    log.warning("cannot accept connections for now", {{"error", std::generic_category().message(error)}});
    pause.expires_after(kPause);
    pause.async_wait([this](const error_code& cancelled) {
      if (!cancelled) wait();
    });
  }

  const Logger log;
  asio::posix::stream_descriptor socket;
  asio::steady_timer pause;
  Accepted accepted;
};

Listener::Listener(IoLoop& loop, Logger log) : impl_(std::make_unique<Impl>(loop, std::move(log))) {}
Listener::~Listener() = default;

Result<std::uint16_t> Listener::open(const std::string& address, std::uint16_t port) {
  const std::string where = fmt::format("listen on {}:{}", address.empty() ? "*" : address, port);
  const std::optional<SocketAddress> parsed = parse_address(address, port);
  if (!parsed && !address.empty()) return fail(where, Error(Code::kInvalid, "not an IP address of this machine"));
  TRY_ASSIGN(const int descriptor, where, parsed ? listen_on(*parsed) : listen_everywhere(port));
  error_code error;
  impl_->socket.assign(descriptor, error);
  if (error) {
    ::close(descriptor);
    return fail(where, Error(Code::kInternal, error.message()));
  }
  SocketAddress bound;
  bound.length = sizeof(bound.storage);
  if (::getsockname(descriptor, bound.raw(), &bound.length) != 0) return fail(where, Error(Code::kInternal, "no port"));
  return peer_of(bound).port;
}

void Listener::start(Accepted accepted) {
  impl_->accepted = std::move(accepted);
  impl_->wait();
}

void Listener::close() {
  error_code ignored;
  impl_->socket.close(ignored);
  impl_->pause.cancel();
}

}  // namespace landfall::http
