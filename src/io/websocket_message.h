#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/websocket_frame.h"

namespace landfall::io {

// What frames say once they are put together: a message of text or bytes, or a control frame.
struct WebSocketMessage {
  WebSocketOpcode opcode = WebSocketOpcode::kBinary;  // never kContinuation
  std::string payload;

  friend bool operator==(const WebSocketMessage&, const WebSocketMessage&) = default;
};

// Puts the pieces of messages together, within a limit for a whole message. Pure.
class WebSocketAssembler {
 public:
  explicit WebSocketAssembler(std::size_t max_message) : max_message_(max_message) {}

  // The message that this frame completes. kDataLoss for a piece that continues nothing or a new message inside of
  // another; kTooLarge past the limit.
  Result<std::optional<WebSocketMessage>> add(WebSocketFrame frame);

  // True between the pieces of a message.
  bool has_rest() const { return unfinished_.has_value(); }

 private:
  const std::size_t max_message_;
  std::optional<WebSocketMessage> unfinished_;
};

// What a close frame holds: a code (0 when it holds none) and a reason.
struct WebSocketClose {
  std::uint16_t code = 0;
  std::string reason;

  friend bool operator==(const WebSocketClose&, const WebSocketClose&) = default;
};

inline constexpr std::uint16_t kWebSocketNormalClosure = 1000;

Result<WebSocketClose> parse_close(std::string_view payload);
// The reason is cut to what a control frame can hold.
std::string close_payload(const WebSocketClose& close);

}  // namespace landfall::io
