#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/websocket_frame.h"
#include "io/websocket_handshake.h"
#include "testkit/scripted_connection.h"

namespace landfall::io {

// The server's half of a WebSocket, for the scripts of tests. Like the connection's own, its calls return nothing or
// false once the peer has gone.
class TestWebSocket {
 public:
  explicit TestWebSocket(testkit::ScriptedConnection& connection) : connection_(connection) {}

  // The bytes that grant an upgrade.
  static std::string grant(const testkit::ScriptedRequest& request, const std::string& protocol) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           accept_key(request.header("Sec-WebSocket-Key")) + "\r\n" +
           (protocol.empty() ? "" : "Sec-WebSocket-Protocol: " + protocol + "\r\n") + "\r\n";
  }
  bool accept(const std::string& protocol = "") {
    const auto request = connection_.read_request();
    return request && connection_.send(grant(*request, protocol));
  }

  static std::string frame(WebSocketOpcode opcode, std::string_view payload, bool is_final = true) {
    std::string out;
    append_frame(out, opcode, is_final, payload, std::nullopt);
    return out;
  }
  bool send(std::string_view message) { return connection_.send(frame(WebSocketOpcode::kBinary, message)); }
  bool send(WebSocketOpcode opcode, std::string_view payload, bool is_final = true) {
    return connection_.send(frame(opcode, payload, is_final));
  }

  // The client's next frame.
  std::optional<WebSocketFrame> read() {
    while (true) {
      auto frame = reader_.next();
      if (!frame) {
        return std::nullopt;
      }
      if (*frame) {
        return **frame;
      }
      const auto bytes = connection_.read_some();
      if (!bytes) {
        return std::nullopt;
      }
      reader_.feed(*bytes);
    }
  }

 private:
  testkit::ScriptedConnection& connection_;
  WebSocketFrameReader reader_{WebSocketFrameReader::From::kClient, std::size_t{64} << 20U};
};

}  // namespace landfall::io
