#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "io/http_client.h"
#include "io/http_error.h"
#include "io/http_head_parser.h"
#include "io/http_message.h"
#include "io/http_pool.h"
#include "io/http_tls.h"
#include "io/url.h"

namespace landfall::io {

// What the transfers of one client share.
struct HttpContext {
  HttpContext(HttpClientOptions the_options, std::unique_ptr<HttpTlsMaterial> the_tls, Clock& the_clock)
      : options(std::move(the_options)),
        tls(std::move(the_tls)),
        clock(the_clock),
        pool(options.max_idle_connections, options.max_idle_age, the_clock) {}

  const HttpClientOptions options;
  const std::unique_ptr<HttpTlsMaterial> tls;
  Clock& clock;
  HttpPool pool;
};

// Where the response goes.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  virtual Result<HttpFlow> on_head(HttpHead head) = 0;
  virtual Result<HttpFlow> on_body(std::string_view bytes) = 0;
  // While it is, nothing more is read from the server.
  virtual bool is_full() const { return false; }
};

// One request on its way, driven by the thread that calls run(). Part of HttpClient.
//
// Life: made, start(), run() until ended(), destroyed. Destroyed earlier, or after an error, it closes its connection.
class HttpTransfer {
 public:
  // The request and the sink are borrowed.
  HttpTransfer(std::shared_ptr<HttpContext> context, const HttpRequest& request, HttpSink& sink, std::size_t body_limit,
               std::stop_token stop);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  // Checks the request and puts it on a connection; sends nothing yet.
  HttpResult<void> start();
  // The same for a connection that nothing is sent over: run() ends when it is there, and take_slot() hands it out. The
  // handle stays in its multi handle, or libcurl would close the connection.
  HttpResult<void> start_tunnel();
  std::unique_ptr<HttpSlot> take_slot() { return std::move(slot_); }
  // Until enough() holds, which is asked after each step, or the response is complete, or something fails.
  HttpResult<void> run(const std::function<bool()>& enough);

  bool ended() const { return ended_; }
  HttpHeaders& trailers() { return parser_.trailers(); }

  // libcurl calls these. What they return is in its terms: how many bytes were taken, or the value for "no".
  std::size_t take_header(std::string_view line);
  std::size_t take_body(std::string_view bytes);
  std::size_t give_body(std::span<char> buffer);
  bool may_send_now();
  bool set_up_tls(void* ssl_context);

 private:
  // Where a byte last went either way, for the idle time-out.
  struct Activity {
    std::uint64_t bytes = 0;
    SteadyTime at;
  };

  HttpResult<void> put_on(std::unique_ptr<HttpSlot> slot);
  Status check();
  HttpResult<void> drive(const std::function<bool()>& enough);
  HttpResult<void> step();
  HttpResult<void> finish(int curl_code);
  std::optional<Error> check_time();
  SteadyTime deadline() const;
  int wait_milliseconds() const;
  std::uint64_t bytes_moved() const;
  bool has_sent_anything() const;
  bool may_repeat() const;
  Status deliver_head();
  std::string_view phase() const;
  tl::unexpected<HttpError> broken(Error error);
  void retire(int socket);

  const std::shared_ptr<HttpContext> context_;
  const HttpRequest& request_;
  HttpSink& sink_;
  const std::size_t body_limit_;
  const std::stop_token stop_;

  Url url_;
  std::unique_ptr<HttpSlot> slot_;       // null before start() and after the end
  std::unique_ptr<HttpSlot> done_with_;  // after the end, until run() returns; with a socket it is kept
  HttpHeadParser parser_;
  std::optional<Error> failure_;  // of a callback
  bool is_tunnel_ = false;
  bool stopped_by_sink_ = false;
  bool paused_ = false;
  bool ended_ = false;
  bool has_head_ = false;
  int attempts_ = 0;               // connections on which the request was about to be sent
  std::int64_t tunnel_bytes_ = 0;  // what libcurl counts as sent, but went to the proxy
  std::uint64_t body_received_ = 0;
  std::uint64_t header_received_ = 0;
  std::uint64_t body_sent_ = 0;  // of a streaming body
  Activity activity_;
};

}  // namespace landfall::io
