#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "http/io_loop.h"
#include "http/responder.h"
#include "http/server_options.h"
#include "http/tls_context.h"

namespace landfall::http {

class Connection;

// Internal to the module. What all parts of a server share; set before the first connection.
struct ServerCore {
  ServerOptions options;
  Handler handler;
  Clock& clock;
  Logger log;
  std::unique_ptr<TlsContext> tls;
  Monitor<std::size_t> open;  // connections
};

// Internal to the module. One loop and the connections that live on it. Methods belong to the loop's thread unless they
// say otherwise.
class Shard {
 public:
  explicit Shard(ServerCore& core);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;
  ~Shard();

  ServerCore& core() { return core_; }
  IoLoop& loop() { return loop_; }

  // From any thread: takes over an accepted socket, which is counted in core.open already.
  void adopt(int descriptor, Peer peer);
  // From any thread.
  void drain();
  void cut();

  bool draining() const { return draining_; }
  void forget(Connection& connection);
  // The Date header's value for now.
  std::string_view date();

 private:
  void add(int descriptor, Peer peer);
  void keep_ticking();
  void sweep();

  ServerCore& core_;
  IoLoop loop_;
  std::vector<std::shared_ptr<Connection>> connections_;
  bool draining_ = false;
  bool ticking_ = false;
  WallTime date_second_;
  std::string date_;
};

}  // namespace landfall::http
