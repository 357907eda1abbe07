// How many requests a second the server answers, with a client in the same process on one thread: with two cores the
// client takes one of them.

#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "http/router.h"
#include "http/server.h"

namespace landfall::http {
namespace {

// Many connections that each have one request under way. All answers must have the same length.
class LoadClient {
 public:
  LoadClient(std::uint16_t port, std::size_t connections) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (std::size_t i = 0; i < connections; ++i) {
      const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) std::abort();
      const int on = 1;
      ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
      connections_.push_back({descriptor, 0});
    }
  }
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;
  ~LoadClient() {
    for (const Connection& connection : connections_) ::close(connection.descriptor);
    ::close(epoll_);
  }

  void send_all(std::string_view request) const {
    for (const Connection& connection : connections_) send(connection.descriptor, request);
  }

  // Reads `count` messages of `bytes` each; after each one, sends the request again if more are wanted.
  void read(std::size_t count, std::size_t bytes, std::string_view request) {
    std::size_t to_send = request.empty() ? 0 : count - std::min(count, connections_.size());
    std::array<epoll_event, 64> events{};
    while (count > 0) {
      const int ready = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10'000);
      if (ready <= 0) std::abort();
      for (std::size_t i = 0; i < static_cast<std::size_t>(ready); ++i) {
        Connection& connection = connections_[events.at(i).data.u64];
        const ssize_t got = ::recv(connection.descriptor, buffer_.data(), buffer_.size(), 0);
        if (got <= 0) std::abort();
        connection.received += static_cast<std::size_t>(got);
        while (connection.received >= bytes && count > 0) {
          connection.received -= bytes;
          --count;
          if (to_send > 0) {
            --to_send;
            send(connection.descriptor, request);
          }
        }
      }
    }
  }

  // One answer on the first connection: how long they are.
  std::size_t measure(std::string_view request) {
    send(connections_.front().descriptor, request);
    return static_cast<std::size_t>(::recv(connections_.front().descriptor, buffer_.data(), buffer_.size(), 0));
  }

 private:
  struct Connection {
    int descriptor;
    std::size_t received;
  };
  static void send(int descriptor, std::string_view request) {
    if (::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
      std::abort();
    }
  }

  int epoll_;
  std::vector<Connection> connections_;
  std::array<char, 65536> buffer_{};
};

void run(benchmark::State& state, const std::string& request, std::size_t threads) {
  static constexpr std::size_t kBatch = 20'000;
  const Handler handler = *Router::make(
      {{.method = "GET",
        .pattern = "/healthz",
        .handler = [](const Request&,
                      const std::shared_ptr<Responder>& responder) { responder->send(text(200, "ok")); }},
       {.method = "POST",
        .pattern = "/api/v1/namespaces/{namespace}/configmaps",
        .handler = [](Request incoming, const std::shared_ptr<Responder>& responder) {
          responder->send(
              {.status = 201, .headers = {{"Content-Type", "application/json"}}, .body = std::move(incoming.body)});
        }}});
  Server server({.threads = threads}, handler, system_clock(), {});
  if (!server.start()) std::abort();
  LoadClient client(server.port(), 32);
  const std::size_t bytes = client.measure(request);
  for (auto _ : state) {
    client.send_all(request);
    client.read(kBatch, bytes, request);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kBatch) * state.iterations());
}

void BM_SmallAnswer(benchmark::State& state) {
  run(state, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n",
      static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(BM_SmallAnswer)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_PostOfOneKilobyte(benchmark::State& state) {
  run(state,
      "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\n"
      "Authorization: Bearer 0123456789abcdef\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
      "Content-Length: 1024\r\n\r\n" +
          std::string(1024, 'x'),
      static_cast<std::size_t>(state.range(0)));
}
BENCHMARK(BM_PostOfOneKilobyte)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

// One event of 1 KiB to every watcher; an item is one delivery.
void BM_FanOut(benchmark::State& state) {
  const auto watchers = static_cast<std::size_t>(state.range(0));
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  Monitor<std::vector<std::shared_ptr<Responder>>> streams;
  const Handler handler = [&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->begin({});
    streams.update([&](auto& all) { all.push_back(responder); });
  };
  Server server({}, handler, system_clock(), {});
  if (!server.start()) std::abort();
  LoadClient client(server.port(), watchers);
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send_all(request);
  streams.wait_until(system_clock(), {}, kNever, [&](const auto& all) { return all.size() == watchers; });
  // The heads are read off as one message each: they are all the same.
  const std::string head =
      "HTTP/1.1 200 OK\r\nDate: Tue, 01 Jan 2030 00:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n";
  client.read(watchers, head.size(), {});
  const std::string event(1024, 'e');
  const std::size_t framed = event.size() + std::string_view("400\r\n\r\n").size();
  for (auto _ : state) {
    const Chunk chunk(event);
    streams.with([&](const auto& all) {
      for (const auto& stream : all) (void)stream->write(chunk);
    });
    client.read(watchers, framed, {});
  }
  state.SetItemsProcessed(state.range(0) * state.iterations());
}
BENCHMARK(BM_FanOut)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace landfall::http
