#include "io/websocket_frame.h"

#include <span>

namespace landfall::io {
namespace {

constexpr std::uint8_t kFinalBit = 0x80;
constexpr std::uint8_t kReservedBits = 0x70;
constexpr std::uint8_t kOpcodeBits = 0x0f;
constexpr std::uint8_t kMaskBit = 0x80;
constexpr std::uint8_t kLengthBits = 0x7f;
// In place of a length: that it stands in the next two or eight bytes.
constexpr std::uint8_t kTwoBytes = 126;
constexpr std::uint8_t kEightBytes = 127;
// What has been read is thrown away when it is at least so much, or all.
constexpr std::size_t kTidy = std::size_t{64} * 1024;

std::uint8_t byte_at(std::string_view bytes, std::size_t index) { return static_cast<std::uint8_t>(bytes[index]); }

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) {
    value = (value << 8U) | static_cast<std::uint8_t>(c);
  }
  return value;
}

void append_big_endian(std::string& out, std::uint64_t value, int count) {
  for (int shift = (count - 1) * 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xffU));
  }
}

void apply_mask(std::span<char> bytes, std::uint32_t mask) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto shift = static_cast<unsigned>(24 - (8 * (i % 4)));
    bytes[i] = static_cast<char>(static_cast<std::uint8_t>(bytes[i]) ^ ((mask >> shift) & 0xffU));
  }
}

bool is_known(std::uint8_t opcode) { return opcode <= 2 || (opcode >= 8 && opcode <= 10); }

}  // namespace

bool is_control(WebSocketOpcode opcode) { return opcode >= WebSocketOpcode::kClose; }

void append_frame(std::string& out, WebSocketOpcode opcode, bool is_final, std::string_view payload,
                  std::optional<std::uint32_t> mask) {
  const auto first = static_cast<std::uint8_t>(opcode);
  out.push_back(static_cast<char>(first | (is_final ? kFinalBit : 0U)));
  const std::uint8_t mask_bit = mask ? kMaskBit : 0;
  if (payload.size() < kTwoBytes) {
    out.push_back(static_cast<char>(payload.size() | mask_bit));
  } else if (payload.size() <= 0xffff) {
    out.push_back(static_cast<char>(kTwoBytes | mask_bit));
    append_big_endian(out, payload.size(), 2);
  } else {
    out.push_back(static_cast<char>(kEightBytes | mask_bit));
    append_big_endian(out, payload.size(), 8);
  }
  if (mask) {
    append_big_endian(out, *mask, 4);
  }
  const std::size_t begin = out.size();
  out.append(payload);
  if (mask) {
    apply_mask(std::span(out).subspan(begin), *mask);
  }
}

void WebSocketFrameReader::feed(std::string_view bytes) {
  if (at_ == bytes_.size() || at_ >= kTidy) {
    before_ += at_;
    bytes_.erase(0, at_);
    at_ = 0;
  }
  bytes_.append(bytes);
}

Result<std::optional<WebSocketFrame>> WebSocketFrameReader::next() {
  TRY_ASSIGN(const std::optional<Header> head, "", header());
  if (!head || bytes_.size() - at_ - head->size < head->payload) {
    return std::nullopt;
  }
  WebSocketFrame frame{
      .opcode = head->opcode, .is_final = head->is_final, .payload = bytes_.substr(at_ + head->size, head->payload)};
  if (head->mask) {
    apply_mask(frame.payload, *head->mask);
  }
  at_ += head->size + head->payload;
  return frame;
}

Result<std::optional<WebSocketFrameReader::Header>> WebSocketFrameReader::header() const {
  const std::string_view rest = std::string_view(bytes_).substr(at_);
  if (rest.size() < 2) {
    return std::nullopt;
  }
  const std::uint8_t first = byte_at(rest, 0);
  const std::uint8_t second = byte_at(rest, 1);
  if ((first & kReservedBits) != 0) {
    return malformed("a reserved bit is set, though no extension was agreed on");
  }
  if (!is_known(first & kOpcodeBits)) {
    return malformed("an unknown opcode");
  }
  const bool is_masked = (second & kMaskBit) != 0;
  if (is_masked != (from_ == From::kClient)) {
    return malformed(is_masked ? "a server's frame is masked" : "a client's frame is not masked");
  }
  const std::uint8_t code = second & kLengthBits;
  const std::size_t more = code == kTwoBytes ? 2 : code == kEightBytes ? 8 : 0;
  Header header{.opcode = static_cast<WebSocketOpcode>(first & kOpcodeBits),
                .is_final = (first & kFinalBit) != 0,
                .size = 2 + more + (is_masked ? 4 : 0),
                .payload = 0,
                .mask = std::nullopt};
  if (rest.size() < 2 + more) {
    return std::nullopt;
  }
  const std::uint64_t length = more == 0 ? code : big_endian(rest.substr(2, more));
  TRY("", check(header, code, length));
  if (rest.size() < header.size) {
    return std::nullopt;
  }
  header.payload = static_cast<std::size_t>(length);
  if (is_masked) {
    header.mask = static_cast<std::uint32_t>(big_endian(rest.substr(2 + more, 4)));
  }
  return header;
}

Status WebSocketFrameReader::check(const Header& header, std::uint8_t length_code, std::uint64_t length) const {
  if ((length_code == kTwoBytes && length < kTwoBytes) || (length_code == kEightBytes && length <= 0xffff)) {
    return malformed("a length that is written longer than it needs to be");
  }
  if (is_control(header.opcode) && (length > kMaxControlPayload || !header.is_final)) {
    return malformed("a control frame that is too long or in pieces");
  }
  if (length > max_payload_) {
    return fail(Code::kTooLarge, "WebSocket frame at byte " + std::to_string(before_ + at_) + ": " +
                                     std::to_string(length) + " bytes are more than the limit of " +
                                     std::to_string(max_payload_));
  }
  return {};
}

tl::unexpected<Error> WebSocketFrameReader::malformed(std::string_view what) const {
  return fail(Code::kDataLoss, "WebSocket frame at byte " + std::to_string(before_ + at_) + ": " + std::string(what));
}

}  // namespace landfall::io
