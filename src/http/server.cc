#include "http/server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "http/listener.h"
#include "http/shard.h"

namespace landfall::http {
namespace {

// One connection too many. Written without waiting: whoever floods us does not get our attention.
void turn_away(int descriptor, bool tls) {
  static constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 21\r\n\r\ntoo many connections\n";
  if (!tls) {
    (void)::send(descriptor, kBusy.data(), kBusy.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ::shutdown(descriptor, SHUT_WR);
  }
  ::close(descriptor);
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions options, Handler handler, Clock& clock, const Logger& log)
      : core{.options = std::move(options),
             .handler = std::move(handler),
             .clock = clock,
             .log = log,
             .tls = nullptr,
             .open = Monitor<std::size_t>(0)} {}

  Status start();
  bool stop(SteadyTime deadline);
  void accept(int descriptor, Peer peer);
  void close_listener();

  enum class State { kNew, kRunning, kStopped };

  ServerCore core;
  std::vector<std::unique_ptr<Shard>> shards;
  std::unique_ptr<Listener> listener;  // on the first shard
  std::size_t next_shard = 0;          // touched by the first shard only
  std::uint16_t port = 0;
  // Over the whole of start() and stop(): a second caller finds the work done.
  std::mutex changing;
  State state = State::kNew;
};

Status Server::Impl::start() {
  const std::scoped_lock lock(changing);
  if (state != State::kNew) return fail(Code::kInvalid, "an HTTP server starts once");
  const ServerOptions& options = core.options;
  if (options.threads == 0) return fail(Code::kInvalid, "an HTTP server needs at least one thread");
  if (options.tls) {
    TRY_ASSIGN(core.tls, fmt::format("TLS for {}", options.name), TlsContext::make(*options.tls));
  }
  for (std::size_t i = 0; i < options.threads; ++i) shards.push_back(std::make_unique<Shard>(core));
  listener = std::make_unique<Listener>(shards.front()->loop(), core.log);
  Result<std::uint16_t> bound = listener->open(options.address, options.port);
  if (!bound) {
    listener.reset();
    shards.clear();
    return fail("", std::move(bound).error());
  }
  port = *bound;
  listener->start([this](int descriptor, Peer peer) { accept(descriptor, std::move(peer)); });
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i]->loop().start(fmt::format("{}-{}", options.name, i));
  state = State::kRunning;
  return {};
}

void Server::Impl::accept(int descriptor, Peer peer) {
  const bool room = core.open.update([&](std::size_t& open) {
    if (open >= core.options.limits.connections) return false;
    ++open;
    return true;
  });
  if (!room) return turn_away(descriptor, core.tls != nullptr);
  shards[next_shard++ % shards.size()]->adopt(descriptor, std::move(peer));
}

// Returns when no connection can come any more, so that what the shards are told next is told after the last of them.
void Server::Impl::close_listener() {
  std::promise<void> closed;
  shards.front()->loop().post([&] {
    listener->close();
    closed.set_value();
  });
  closed.get_future().wait();
}

bool Server::Impl::stop(SteadyTime deadline) {
  const std::scoped_lock lock(changing);
  if (std::exchange(state, State::kStopped) != State::kRunning) return true;
  close_listener();
  for (const auto& shard : shards) shard->drain();
  const bool finished =
      core.open.wait_until(core.clock, {}, deadline, [](const std::size_t& open) { return open == 0; });
  for (const auto& shard : shards) shard->cut();
  for (const auto& shard : shards) shard->loop().finish();
  return finished;
}

Server::Server(ServerOptions options, Handler handler, Clock& clock, const Logger& log)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handler), clock, log)) {}

Server::~Server() { impl_->stop(impl_->core.clock.now()); }

Status Server::start() { return impl_->start(); }

std::uint16_t Server::port() const { return impl_->port; }

std::string Server::url() const {
  const ServerOptions& options = impl_->core.options;
  std::string host = options.address;
  if (host.empty()) host = "localhost";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("{}://{}:{}", options.tls ? "https" : "http", host, impl_->port);
}

std::size_t Server::open_connections() const { return impl_->core.open.copy(); }

bool Server::stop(SteadyTime deadline) { return impl_->stop(deadline); }

}  // namespace landfall::http
