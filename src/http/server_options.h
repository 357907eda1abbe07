#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "http/request.h"
#include "http/response.h"

namespace landfall::http {

enum class ClientCertificates {
  kIgnored,
  kOptional,  // one that is shown must be good
  kRequired,
};

struct TlsOptions {
  std::string certificate_pem;  // the server's, followed by its intermediates
  std::string key_pem;
  std::string client_ca_pem;  // one or more, unless client certificates are ignored
  ClientCertificates client_certificates = ClientCertificates::kIgnored;
};

struct Limits {
  std::size_t header_bytes = std::size_t{64} * 1024;  // request line and fields; more is 431
  std::size_t header_count = 100;
  std::uint64_t body_bytes = std::uint64_t{3} * 1024 * 1024;  // the default of admit; more is 413
  std::size_t connections = 10'000;                           // one more gets 503 and is closed
  // What a streamed answer may have waiting; a chunk larger than this fits only into an empty queue.
  std::size_t queue_bytes = std::size_t{256} * 1024;
};

// Measured with the server's Clock and looked at every tick, so they are exact to a tick only.
struct Timeouts {
  Duration header =
      std::chrono::seconds(10);              // from the first byte (or the connection) to the end of the head; also TLS
  Duration body = std::chrono::seconds(60);  // for the whole body
  Duration idle = std::chrono::seconds(120);  // between requests
  Duration write = std::chrono::seconds(30);  // without the client taking a single byte
  Duration linger = std::chrono::seconds(2);  // for the client to notice that we close, and the other way round
};

// Asked once the head of a request is in, before the body is read and before `100 Continue`: how large the body may be,
// or an answer that ends it right here. Runs on an I/O thread.
struct Admission {
  std::uint64_t body_bytes = 0;
  std::optional<Response> refusal;
};
using Admit = std::function<Admission(const Request& head)>;

// What is known of a request when its answer is out (or the client gone).
struct FinishedRequest {
  std::string method;                // empty when the request could not be read
  std::string route;                 // the pattern that matched; empty without one
  int status = 0;                    // 0 when the client went before an answer began
  Duration duration{};               // from the end of the head
  std::uint64_t bytes_received = 0;  // of the body
  std::uint64_t bytes_sent = 0;      // head and framing included
  bool complete = false;             // false when it was cut
};

struct ServerOptions {
  std::string name = "http";          // threads are called NAME-0 …, log lines carry it
  std::string address = "127.0.0.1";  // an IP address, "localhost", or empty for all interfaces
  std::uint16_t port = 0;             // 0 takes a free one
  std::size_t threads = 2;
  std::optional<TlsOptions> tls;
  Limits limits;
  Timeouts timeouts;
  Admit admit;                                              // optional
  std::function<void(const FinishedRequest&)> on_finished;  // optional; runs on an I/O thread
  std::chrono::milliseconds tick{200};                      // how often time-outs are looked at
};

}  // namespace landfall::http
