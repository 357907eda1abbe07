#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/websocket_frame.h"
#include "io/websocket_handshake.h"
#include "io/websocket_message.h"

namespace {

using landfall::io::WebSocketFrame;
using landfall::io::WebSocketFrameReader;

constexpr std::size_t kLimit = 70000;

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

struct Read {
  std::vector<WebSocketFrame> frames;
  bool failed = false;
};

Read read(std::string_view bytes, std::size_t step, WebSocketFrameReader::From from) {
  WebSocketFrameReader reader(from, kLimit);
  Read read;
  while (!bytes.empty()) {
    const std::size_t count = std::min(step, bytes.size());
    reader.feed(bytes.substr(0, count));
    bytes.remove_prefix(count);
    while (true) {
      auto frame = reader.next();
      if (!frame) {
        read.failed = true;
        return read;
      }
      if (!*frame) {
        break;
      }
      read.frames.push_back(**frame);
    }
  }
  return read;
}

void read_answer(std::string_view bytes, std::size_t step) {
  landfall::io::UpgradeAnswer answer(1000, 20, 500);
  while (!bytes.empty() && answer.feed(bytes.substr(0, std::min(step, bytes.size())))) {
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
  require(answer.body().size() <= 500);
}

}  // namespace

// However the bytes are cut the same frames come out, they are within their limits, they are written as they were read,
// and messages stay within their limit. The first byte says who wrote them and how they are cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::io::WebSocketAssembler;
  if (size == 0) {
    return 0;
  }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's bytes
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto from = (data[0] & 1U) != 0 ? WebSocketFrameReader::From::kClient : WebSocketFrameReader::From::kServer;
  const std::size_t step = 1 + (data[0] >> 1U);
  const Read whole = read(bytes, std::max<std::size_t>(bytes.size(), 1), from);
  const Read cut = read(bytes, step, from);
  require(whole.frames == cut.frames && whole.failed == cut.failed);

  std::string again;
  WebSocketAssembler assembler(kLimit);
  for (const WebSocketFrame& frame : whole.frames) {
    require(frame.payload.size() <= kLimit);
    append_frame(again, frame.opcode, frame.is_final, frame.payload, std::nullopt);
    const auto message = assembler.add(frame);
    require(!message || !*message || (*message)->payload.size() <= kLimit);
  }
  if (from == WebSocketFrameReader::From::kServer) {
    require(bytes.starts_with(again));
  }
  read_answer(bytes, step);
  return 0;
}
