#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "http/request.h"

namespace landfall::http {

class IoLoop;

// Internal to the module. A listening socket on a loop. Belongs to the loop's thread, but for open().
class Listener {
 public:
  // Takes over the accepted socket's descriptor.
  using Accepted = std::function<void(int descriptor, Peer peer)>;

  Listener(IoLoop& loop, Logger log);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  // Binds; before the loop runs. Returns the real port.
  Result<std::uint16_t> open(const std::string& address, std::uint16_t port);
  void start(Accepted accepted);
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::http
