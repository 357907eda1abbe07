#include "testkit/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "testkit/scripted_impl.h"

namespace landfall::testkit {
namespace {

using Context = std::unique_ptr<SSL_CTX, SslFree>;

void check(bool worked, const char* step) {
  if (!worked) {
    throw std::system_error(errno, std::generic_category(), std::string("scripted server: ") + step);
  }
}

void check_tls(bool worked, const char* step) {
  if (!worked) {
    ERR_clear_error();
    throw std::runtime_error(std::string("scripted server: TLS: cannot use the ") + step);
  }
}

// The first object of a PEM text, read by one of OpenSSL's PEM_read_bio_… functions and handed to `use`.
template <class Read, class Use, class Release>
bool with_pem(const std::string& text, Read read, Use use, Release release) {
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  auto* object = read(bio, nullptr, nullptr, nullptr);
  const bool worked = object != nullptr && use(object) == 1;
  release(object);
  BIO_free(bio);
  return worked;
}

Context make_context(const ScriptedTls& tls) {
  Context context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* raw = context.get();
  check_tls(raw != nullptr, "library");
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (tls.only_tls_1_1) {
    SSL_CTX_set_security_level(raw, 0);
    SSL_CTX_set_min_proto_version(raw, TLS1_1_VERSION);
    SSL_CTX_set_max_proto_version(raw, TLS1_1_VERSION);
  }
  check_tls(
      with_pem(
          tls.certificate_pem, PEM_read_bio_X509, [&](X509* c) { return SSL_CTX_use_certificate(raw, c); }, X509_free),
      "certificate");
  check_tls(with_pem(
                tls.key_pem, PEM_read_bio_PrivateKey, [&](EVP_PKEY* k) { return SSL_CTX_use_PrivateKey(raw, k); },
                EVP_PKEY_free),
            "key");
  if (!tls.client_ca_pem.empty()) {
    check_tls(with_pem(
                  tls.client_ca_pem, PEM_read_bio_X509,
                  [&](X509* c) { return X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), c); }, X509_free),
              "authority for clients");
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

// A write to a connection that the client has closed must be an error of that write, not the end of the test program:
// OpenSSL writes without MSG_NOSIGNAL.
void block_sigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace

struct ScriptedServer::Impl {
  Impl(Script the_script, const std::optional<ScriptedTls>& tls)
      : script(std::move(the_script)),
        context(tls ? make_context(*tls) : nullptr),
        tls_from_start(tls && tls->from_start) {}
  ~Impl() {
    ::close(listener);
    ::close(stop_fd);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void listen();
  void accept_all();
  void serve(int fd, int index);

  const Script script;
  const Context context;
  const bool tls_from_start;
  int listener = -1;
  int stop_fd = -1;  // an eventfd that is written once and never read: every poll sees it
  std::uint16_t port = 0;
  std::stop_source stop;
  Monitor<ScriptedRecord> record;
  std::vector<std::thread> connections;  // grown by the acceptor only, joined after it
  std::thread acceptor;
};

void ScriptedServer::Impl::listen() {
  stop_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  check(stop_fd >= 0, "eventfd");
  listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  check(listener >= 0, "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how the socket calls take addresses
  check(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0, "bind");
  check(::listen(listener, SOMAXCONN) == 0, "listen");
  check(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  port = ntohs(address.sin_port);
}

void ScriptedServer::Impl::accept_all() {
  block_sigpipe();
  std::array<pollfd, 2> watched{
      {{.fd = listener, .events = POLLIN, .revents = 0}, {.fd = stop_fd, .events = POLLIN, .revents = 0}}};
  while (!stop.stop_requested()) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      ::poll(watched.data(), watched.size(), -1);
      continue;
    }
    const int index = record.update([](ScriptedRecord& seen) { return seen.connections++; });
    connections.emplace_back([this, fd, index] { serve(fd, index); });
  }
}

void ScriptedServer::Impl::serve(int fd, int index) {
  block_sigpipe();
  const int no_delay = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  {
    ScriptedConnection connection(
        std::make_unique<ScriptedConnection::Impl>(fd, stop_fd, index, context.get(), stop.get_token(), record));
    if (!tls_from_start || connection.start_tls()) {
      script(connection);
    }
  }
  record.update([](ScriptedRecord& seen) { ++seen.finished; });
}

ScriptedServer::ScriptedServer(Script script, const std::optional<ScriptedTls>& tls)
    : impl_(std::make_unique<Impl>(std::move(script), tls)) {
  impl_->listen();
  impl_->acceptor = std::thread([impl = impl_.get()] { impl->accept_all(); });
}

ScriptedServer::~ScriptedServer() { stop(); }

void ScriptedServer::stop() {
  if (!impl_->acceptor.joinable()) {
    return;
  }
  impl_->stop.request_stop();
  ::eventfd_write(impl_->stop_fd, 1);
  impl_->acceptor.join();
  for (std::thread& connection : impl_->connections) {
    connection.join();
  }
}

ScriptedServer::Script ScriptedServer::answering(std::function<std::string(const ScriptedRequest&)> answer) {
  return [answer = std::move(answer)](ScriptedConnection& connection) {
    while (const std::optional<ScriptedRequest> request = connection.read_request()) {
      if (!connection.send(answer(*request))) {
        return;
      }
    }
  };
}

std::uint16_t ScriptedServer::port() const { return impl_->port; }

std::string ScriptedServer::url(std::string_view target) const {
  return (impl_->tls_from_start ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(impl_->port) +
         std::string(target);
}

std::vector<ScriptedRequest> ScriptedServer::requests() const { return impl_->record.copy().requests; }

int ScriptedServer::connections() const {
  return impl_->record.with([](const ScriptedRecord& seen) { return seen.connections; });
}

bool ScriptedServer::await_requests(int count) const {
  return impl_->record.wait_until(system_clock(), {}, system_clock().after(kPatience), [&](const ScriptedRecord& seen) {
    return seen.requests.size() >= static_cast<std::size_t>(count);
  });
}

bool ScriptedServer::await_connections(int count) const {
  return impl_->record.wait_until(system_clock(), {}, system_clock().after(kPatience),
                                  [&](const ScriptedRecord& seen) { return seen.connections >= count; });
}

bool ScriptedServer::await_finished(int count) const {
  return impl_->record.wait_until(system_clock(), {}, system_clock().after(kPatience),
                                  [&](const ScriptedRecord& seen) { return seen.finished >= count; });
}

}  // namespace landfall::testkit
