#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "io/http_client.h"
#include "io/websocket_message.h"

namespace landfall::io {

struct WebSocketOptions {
  // Offered in this order; when there are any the server has to choose one of them.
  std::vector<std::string> protocols;
  std::size_t max_message = std::size_t{16} << 20U;
};

// The server answered the upgrade as if it were a plain request: the detail of the error that open() returns then.
struct WebSocketRefusal final : ErrorDetail {
  HttpHead head;
  std::string body;  // its beginning, when it is long
};

// The client's side of a WebSocket (RFC 6455) over an HttpClient's connection: its proxy, its TLS, its headers.
//
// One thread opens it and runs it; reading goes on while there is more to write than the server takes. Pings are
// answered. Used by one thread, except for wake(). Destroyed it closes the connection.
class WebSocket {
 public:
  // Connects and upgrades, by the request's deadline. Of the request its URL and headers count.
  //   an error with a WebSocketRefusal   the server said no: its status and body are in it
  //   kDataLoss                          what it said is no answer to our handshake
  //   kUnsupported                       it chose none of the protocols
  //   otherwise                          as HttpError has it
  // request_may_have_been_sent() is false when it cannot have had an effect.
  static HttpResult<std::unique_ptr<WebSocket>> open(HttpClient& client, const HttpRequest& request,
                                                     const WebSocketOptions& options, Random& random,
                                                     const std::stop_token& stop);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // The one that the server has chosen.
  const std::string& protocol() const;

  struct Handlers {
    // A whole message, text or bytes. False ends the run.
    std::function<Result<bool>(std::string_view message)> on_message;
    // Asked for the next message to send, as bytes, whenever there is room for one; nothing when there is none at the
    // moment, then it is asked again after a wake(). Optional.
    std::function<Result<std::optional<std::string>>()> next_message = {};
  };
  enum class End {
    kHandler,  // on_message wanted no more
    kClosed,   // the server said that it closes; closing() has its words
    kCut,      // the connection ended between two messages without a word
  };
  // Sends and receives until the end. An error of a handler is returned as it is; kTimeout at the deadline, kCancelled
  // within milliseconds of the stop; kUnavailable when the connection breaks, in the middle of a message as well;
  // kDataLoss and kTooLarge for what no server may send. After an error, kClosed and kCut it is of no more use.
  Result<End> run(const Handlers& handlers, SteadyTime deadline, const std::stop_token& stop);
  const WebSocketClose& closing() const;

  // Makes run() ask for the next message. From any thread.
  void wake();

  // Tells the server that we go, as far as that is possible without waiting.
  void say_goodbye();

 private:
  struct Impl;
  explicit WebSocket(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::io
