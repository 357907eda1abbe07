#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "io/http_message.h"
#include "io/url.h"
#include "kube/connection.h"

namespace landfall::kube {

// One call to the API server, before it becomes HTTP.
struct Call {
  std::string method = "GET";
  std::string path;  // as k8s/rest_path.h builds it
  io::QueryParameters query;
  std::string accept = "application/json";
  std::string content_type = "application/json";
  std::optional<std::string> body;
  std::optional<Duration> timeout;      // for the whole call with its retries; default: ClientOptions::timeout
  std::optional<std::size_t> max_body;  // of the answer; default: ClientOptions::max_body
  bool is_repeatable = false;           // sending it twice does no harm, whatever its method
};

struct Answer {
  int status = 0;
  io::HttpHeaders headers;
  std::string body;
  std::vector<std::string> warnings;  // texts of the Warning headers
};

// Takes the next piece of a stream; false ends it, an error ends it with that error.
using OnBytes = std::function<Result<bool>(std::string_view bytes)>;

struct ClientOptions {
  Duration timeout = std::chrono::seconds(60);
  std::size_t max_body = std::size_t{256} << 20U;
  int max_retries = 6;
  BackoffPolicy retries{.first = std::chrono::milliseconds(100), .cap = std::chrono::seconds(10)};
  std::string user_agent = "landfall";
  // A fixed limit of calls per second, with bursts; 0 means none. Without it the number of calls under way adapts to
  // what the server says (429, Retry-After) and how long it takes.
  double qps = 0;
  int burst = 0;
  int max_concurrent = 64;
  // Hears every warning the server attaches to an answer, from any thread.
  std::function<void(std::string_view)> on_warning;
};

// Calls one API server. Every call ends by its deadline, and within milliseconds of a stop.
//
// Errors are what the server said in its Status: our code, the message, and an ApiStatus as the error's detail. Calls
// that are safe to repeat (reads; any call that cannot have reached the server or that it refused with 429 or
// Retry-After) are repeated with backoff until the deadline. A 401 is tried once more with a fresh identity.
// Thread-safe.
class Client {
 public:
  Client(Connection& connection, ClientOptions options, Clock& clock, Random& random, Logger log);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Result<Answer> call(const Call& call, const std::stop_token& stop);

  // A long answer piece by piece (watch, logs): `on_bytes` returns false to end it. Only getting the stream open is
  // retried and only that falls under the timeout; after it a silence longer than `idle` ends it with kTimeout.
  Status stream(const Call& call, Duration idle, const OnBytes& on_bytes, const std::stop_token& stop);

  Connection& connection();
  Clock& clock();
  const Logger& log() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::kube
