#include "http/shard.h"

#include <utility>

#include "http/connection.h"
#include "http/head_writer.h"
#include "http/transport.h"

namespace landfall::http {

Shard::Shard(ServerCore& core) : core_(core), loop_(core.log) {}
Shard::~Shard() = default;

void Shard::adopt(int descriptor, Peer peer) {
  loop_.post([this, descriptor, peer = std::move(peer)] { add(descriptor, peer); });
}

void Shard::add(int descriptor, Peer peer) {
  std::unique_ptr<Transport> transport =
      core_.tls ? make_tls_transport(loop_, descriptor, *core_.tls) : make_plain_transport(loop_, descriptor);
  if (!transport) {
    core_.open.update([](std::size_t& open) { --open; });
    return;
  }
  const auto connection = std::make_shared<Connection>(*this, std::move(transport), std::move(peer));
  connection->place = connections_.size();
  connections_.push_back(connection);
  keep_ticking();
  connection->start();
}

void Shard::forget(Connection& connection) {
  // Whoever calls holds the connection still.
  const std::size_t place = connection.place;
  if (place + 1 != connections_.size()) {
    connections_[place] = std::move(connections_.back());
    connections_[place]->place = place;
  }
  connections_.pop_back();
  core_.open.update([](std::size_t& open) { --open; });
}

void Shard::drain() {
  loop_.post([this] {
    draining_ = true;
    for (const auto& connection : std::vector(connections_)) connection->drain();
  });
}

void Shard::cut() {
  loop_.post([this] {
    for (const auto& connection : std::vector(connections_)) connection->close();
    loop_.cancel_timer();
  });
}

void Shard::keep_ticking() {
  if (connections_.empty() || std::exchange(ticking_, true)) return;
  loop_.after(core_.options.tick, [this] {
    ticking_ = false;
    sweep();
    keep_ticking();
  });
}

void Shard::sweep() {
  const SteadyTime now = core_.clock.now();
  // Backwards: a connection that closes is replaced by one that was looked at.
  for (std::size_t i = connections_.size(); i-- > 0;) {
    const std::shared_ptr<Connection> connection = connections_[i];
    connection->check_deadline(now);
  }
}

std::string_view Shard::date() {
  const WallTime second = std::chrono::floor<std::chrono::seconds>(core_.clock.wall_now());
  if (second != date_second_ || date_.empty()) {
    date_second_ = second;
    date_ = http_date(second);
  }
  return date_;
}

}  // namespace landfall::http
