#include "io/websocket_message.h"

#include <utility>

#include "base/utf8.h"

namespace landfall::io {

Result<std::optional<WebSocketMessage>> WebSocketAssembler::add(WebSocketFrame frame) {
  if (is_control(frame.opcode)) {
    return WebSocketMessage{.opcode = frame.opcode, .payload = std::move(frame.payload)};
  }
  const bool continues = frame.opcode == WebSocketOpcode::kContinuation;
  if (continues != unfinished_.has_value()) {
    return fail(Code::kDataLoss, continues ? "WebSocket: a piece of a message that has not begun"
                                           : "WebSocket: a message begins inside of another");
  }
  const std::size_t before = unfinished_ ? unfinished_->payload.size() : 0;
  if (frame.payload.size() > max_message_ - before) {
    return fail(Code::kTooLarge, "WebSocket: a message is larger than " + std::to_string(max_message_) + " bytes");
  }
  if (unfinished_) {
    unfinished_->payload += frame.payload;
  } else {
    unfinished_ = WebSocketMessage{.opcode = frame.opcode, .payload = std::move(frame.payload)};
  }
  return frame.is_final ? std::exchange(unfinished_, std::nullopt) : std::nullopt;
}

Result<WebSocketClose> parse_close(std::string_view payload) {
  if (payload.empty()) {
    return WebSocketClose{};
  }
  if (payload.size() < 2) {
    return fail(Code::kDataLoss, "WebSocket: half a close code");
  }
  const unsigned high = static_cast<std::uint8_t>(payload[0]);
  const unsigned low = static_cast<std::uint8_t>(payload[1]);
  return WebSocketClose{.code = static_cast<std::uint16_t>((high << 8U) | low),
                        .reason = to_valid_utf8(payload.substr(2))};
}

std::string close_payload(const WebSocketClose& close) {
  std::string payload;
  payload.push_back(static_cast<char>(close.code >> 8U));
  payload.push_back(static_cast<char>(close.code & 0xffU));
  std::string_view rest = close.reason;
  while (!rest.empty()) {
    const std::size_t size = first_rune(rest).size;
    if (payload.size() + size > kMaxControlPayload) {
      break;
    }
    payload.append(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return payload;
}

}  // namespace landfall::io
