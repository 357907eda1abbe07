#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// WebSocket frames as RFC 6455 writes them (section 5), without extensions. Pure.

namespace landfall::io {

enum class WebSocketOpcode : std::uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10,
};

// Close, ping and pong: short, never in pieces, and allowed between the pieces of a message.
bool is_control(WebSocketOpcode opcode);

// What may stand in a control frame.
inline constexpr std::size_t kMaxControlPayload = 125;

struct WebSocketFrame {
  WebSocketOpcode opcode = WebSocketOpcode::kBinary;
  bool is_final = true;
  std::string payload;  // unmasked

  friend bool operator==(const WebSocketFrame&, const WebSocketFrame&) = default;
};

// Appends a frame. A client's frames have a mask, which is to be random; a server's have none.
void append_frame(std::string& out, WebSocketOpcode opcode, bool is_final, std::string_view payload,
                  std::optional<std::uint32_t> mask);

// Cuts bytes into frames. Holds no more than one unfinished frame and what was fed behind it.
class WebSocketFrameReader {
 public:
  // Who wrote the frames: a client must have masked them, a server must not.
  enum class From { kServer, kClient };
  WebSocketFrameReader(From from, std::size_t max_payload) : from_(from), max_payload_(max_payload) {}

  void feed(std::string_view bytes);
  // The next whole frame, nothing while one is not complete. kDataLoss for bytes that are no frame, with their offset
  // in the stream, and kTooLarge as soon as a header announces more than the limit; the reader is of no use after that.
  Result<std::optional<WebSocketFrame>> next();

  // True in the middle of a frame.
  bool has_rest() const { return at_ < bytes_.size(); }

 private:
  struct Header {
    WebSocketOpcode opcode{};
    bool is_final = false;
    std::size_t size = 0;  // of the header itself
    std::size_t payload = 0;
    std::optional<std::uint32_t> mask;
  };
  Result<std::optional<Header>> header() const;
  Status check(const Header& header, std::uint8_t length_code, std::uint64_t length) const;
  tl::unexpected<Error> malformed(std::string_view what) const;

  const From from_;
  const std::size_t max_payload_;
  std::string bytes_;
  std::size_t at_ = 0;        // where the next frame begins in bytes_
  std::uint64_t before_ = 0;  // bytes of the stream that are no longer in bytes_
};

}  // namespace landfall::io
