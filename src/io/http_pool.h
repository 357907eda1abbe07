#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/guarded.h"
#include "io/http_curl_setup.h"

namespace landfall::io {

// libcurl's handles for one transfer at a time, and the connection they keep for the next one. Part of HttpClient.
// Used by one thread at a time.
struct HttpSlot {
  struct EasyRelease {
    void operator()(void* handle) const;
  };
  struct MultiRelease {
    void operator()(void* handle) const;
  };
  HttpCurlSetup setup;
  std::unique_ptr<void, MultiRelease> multi;
  std::unique_ptr<void, EasyRelease> easy;  // released first
  std::string origin;                       // whom the kept connection leads to
  int socket = -1;                          // that connection; owned by libcurl
  SteadyTime idle_since;
  std::thread::id user;  // who used it last
};

// The idle connections of a client, bounded in number and age. A connection belongs to a slot, and slots move freely
// between threads, so that a connection that one call leaves serves the next call of any other. A thread gets back the
// one it left last, if it can: what a slot holds is then still near that processor, which is worth a tenth of the
// speed. Thread-safe.
class HttpPool {
 public:
  HttpPool(std::size_t max_idle, Duration max_age, Clock& clock);

  // A slot with a connection to that origin which looks alive; or a new one. Null when libcurl is out of memory.
  // `peek`: look for bytes nobody asked for as well, which would be taken for the next response.
  std::unique_ptr<HttpSlot> take(const std::string& origin, bool peek);
  // One without a connection, for a connection that will not come back. Null when libcurl is out of memory.
  static std::unique_ptr<HttpSlot> make(const std::string& origin);
  // Only after a transfer that went well, and with its connection open.
  void give_back(std::unique_ptr<HttpSlot> slot);
  void clear();

 private:
  using Slots = std::deque<std::unique_ptr<HttpSlot>>;  // the longest idle in front
  std::unique_ptr<HttpSlot> find_idle(const std::string& origin);

  const std::size_t max_idle_;
  const Duration max_age_;
  Clock& clock_;
  Guarded<Slots> idle_;
};

}  // namespace landfall::io
