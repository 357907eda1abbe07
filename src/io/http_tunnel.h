#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "io/http_error.h"
#include "io/http_message.h"

namespace landfall::io {

struct HttpContext;
struct HttpSlot;

// Bytes in both directions over one connection that an HttpClient has made: through its proxy, under its TLS.
//
// Nothing here blocks but wait(), so one thread can read while it writes. Used by one thread, except for wake(). May
// outlive its client; destroyed it closes the connection.
class HttpTunnel {
 public:
  // What HttpClient::connect() does.
  static HttpResult<std::unique_ptr<HttpTunnel>> open(std::shared_ptr<HttpContext> context, const HttpRequest& request,
                                                      const std::stop_token& stop);
  HttpTunnel(std::shared_ptr<HttpContext> context, std::unique_ptr<HttpSlot> slot, int socket);
  ~HttpTunnel();
  HttpTunnel(const HttpTunnel&) = delete;
  HttpTunnel& operator=(const HttpTunnel&) = delete;

  // What has come. None and not ended: nothing at the moment. kUnavailable when the connection broke.
  struct Received {
    std::size_t count = 0;
    bool has_ended = false;
  };
  Result<Received> read_some(std::span<char> buffer);

  // How much of it went out; 0 when there is no room at the moment. What did not go out must be the beginning of the
  // next call's bytes.
  Result<std::size_t> write_some(std::string_view bytes);

  // Until there may be something to read, or room to write when that is asked for, or someone called wake(); at most a
  // second, so that the caller looks at its own clock. kCancelled after a stop, kTimeout at the deadline.
  Status wait(bool for_room, SteadyTime deadline, const std::stop_token& stop);

  // Ends a wait(), now or the next one. From any thread.
  void wake();

  Clock& clock() const;
  // What the client would say in a request of its own, and what it accepts in an answer.
  const std::string& user_agent() const;
  std::size_t max_header_bytes() const;
  std::size_t max_header_count() const;

 private:
  const std::shared_ptr<HttpContext> context_;
  const std::unique_ptr<HttpSlot> slot_;
  const int socket_;  // owned by libcurl
};

}  // namespace landfall::io
