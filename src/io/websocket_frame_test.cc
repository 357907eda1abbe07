#include "io/websocket_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/websocket_message.h"

namespace landfall::io {
namespace {

using std::string_literals::operator""s;
using ::testing::HasSubstr;
using From = WebSocketFrameReader::From;

Result<std::optional<WebSocketFrame>> read_one(const std::string& bytes, From from = From::kServer,
                                               std::size_t limit = 1000) {
  WebSocketFrameReader reader(from, limit);
  reader.feed(bytes);
  return reader.next();
}

std::string refusal(const std::string& bytes, From from = From::kServer, std::size_t limit = 1000) {
  const auto frame = read_one(bytes, from, limit);
  return frame ? "no error" : std::string(to_string(frame.error().code())) + " " + frame.error().message();
}

TEST(WebSocketFrame, ReadsAndWritesTheExamplesOfTheStandard) {
  std::string masked;
  append_frame(masked, WebSocketOpcode::kText, true, "Hello", 0x37fa213d);
  EXPECT_EQ(masked, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_EQ(read_one(masked, From::kClient).value()->payload, "Hello");
  const auto plain = read_one("\x01\x03\x48\x65\x6c").value();
  EXPECT_EQ(*plain, (WebSocketFrame{.opcode = WebSocketOpcode::kText, .is_final = false, .payload = "Hel"}));
}

TEST(WebSocketFrame, UsesTheShortestLengthAroundTheBorders) {
  for (const auto& [size, header] :
       std::vector<std::pair<std::size_t, std::size_t>>{{125, 2}, {126, 4}, {65535, 4}, {65536, 10}}) {
    std::string out;
    append_frame(out, WebSocketOpcode::kBinary, true, std::string(size, 'x'), std::nullopt);
    EXPECT_EQ(out.size(), size + header);
    EXPECT_EQ(read_one(out, From::kServer, 70000).value()->payload.size(), size);
  }
}

RC_GTEST_PROP(WebSocketFrameProperty, WhatIsWrittenIsReadHoweverItIsCut, ()) {
  const bool is_masked = *rc::gen::arbitrary<bool>();
  const auto payloads = *rc::gen::container<std::vector<std::string>>(rc::gen::arbitrary<std::string>());
  std::string wire;
  for (const std::string& payload : payloads) {
    append_frame(wire, WebSocketOpcode::kBinary, true, payload,
                 is_masked ? std::optional(*rc::gen::arbitrary<std::uint32_t>()) : std::nullopt);
  }
  WebSocketFrameReader reader(is_masked ? From::kClient : From::kServer, 100000);
  std::vector<std::string> read;
  for (std::size_t at = 0; at < wire.size();) {
    const std::size_t count = std::min<std::size_t>(wire.size() - at, *rc::gen::inRange<std::size_t>(1, 50));
    reader.feed(std::string_view(wire).substr(at, count));
    at += count;
    while (auto frame = reader.next().value()) {
      read.push_back(frame->payload);
    }
  }
  RC_ASSERT(read == payloads);
  RC_ASSERT(!reader.has_rest());
}

TEST(WebSocketFrame, RefusesWhatNoServerMaySend) {
  EXPECT_THAT(refusal("\xc1\x01x"), HasSubstr("DataLoss WebSocket frame at byte 0: a reserved bit"));
  EXPECT_THAT(refusal("\x83\x01x"), HasSubstr("unknown opcode"));
  EXPECT_THAT(refusal("\x81\x81"), HasSubstr("a server's frame is masked"));
  EXPECT_THAT(refusal("\x81\x01x", From::kClient), HasSubstr("a client's frame is not masked"));
  EXPECT_THAT(refusal("\x82\x7e\x00\x05"s), HasSubstr("longer than it needs"));
  EXPECT_THAT(refusal("\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff"s), HasSubstr("longer than it needs"));
  EXPECT_THAT(refusal("\x89\x7e\x01\x00"s), HasSubstr("control frame"));
  EXPECT_THAT(refusal("\x09\x01x"), HasSubstr("control frame"));
}

TEST(WebSocketFrame, RefusesALengthOverTheLimitBeforeThePayloadHasCome) {
  EXPECT_THAT(refusal("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"s), HasSubstr("TooLarge"));
  EXPECT_THAT(refusal("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s), HasSubstr("TooLarge"));
  EXPECT_THAT(refusal("\x82\x06"s, From::kServer, 5), HasSubstr("6 bytes are more than the limit of 5"));
}

TEST(WebSocketFrame, NamesTheOffsetInTheStream) {
  WebSocketFrameReader reader(From::kServer, 1000);
  reader.feed("\x81\x01x");
  ASSERT_TRUE(reader.next().value());
  reader.feed("\xff\xff");
  const auto bad = reader.next();
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message(), HasSubstr("at byte 3"));
}

TEST(WebSocketAssembler, PutsPiecesTogetherAndLetsControlFramesThroughInBetween) {
  WebSocketAssembler assembler(100);
  EXPECT_FALSE(assembler.add({.opcode = WebSocketOpcode::kBinary, .is_final = false, .payload = "ab"}).value());
  const auto ping = assembler.add({.opcode = WebSocketOpcode::kPing, .is_final = true, .payload = "p"}).value();
  EXPECT_EQ(ping->opcode, WebSocketOpcode::kPing);
  EXPECT_TRUE(assembler.has_rest());
  const auto whole = assembler.add({.opcode = WebSocketOpcode::kContinuation, .payload = "cd"}).value();
  EXPECT_EQ(*whole, (WebSocketMessage{.opcode = WebSocketOpcode::kBinary, .payload = "abcd"}));
  EXPECT_FALSE(assembler.has_rest());
}

TEST(WebSocketAssembler, RefusesPiecesThatDoNotFitAndMessagesOverTheLimit) {
  EXPECT_FALSE(WebSocketAssembler(9).add({.opcode = WebSocketOpcode::kContinuation, .payload = "x"}));
  WebSocketAssembler assembler(3);
  ASSERT_TRUE(assembler.add({.opcode = WebSocketOpcode::kText, .is_final = false, .payload = "ab"}));
  EXPECT_EQ(assembler.add({.opcode = WebSocketOpcode::kText, .payload = "x"}).error().code(), Code::kDataLoss);
  EXPECT_EQ(assembler.add({.opcode = WebSocketOpcode::kContinuation, .payload = "cd"}).error().code(), Code::kTooLarge);
}

TEST(WebSocketClose, IsReadAndWritten) {
  EXPECT_EQ(parse_close("").value().code, 0);
  EXPECT_FALSE(parse_close("x"));
  EXPECT_EQ(parse_close("\x03\xe8gone"s).value(), (WebSocketClose{.code = 1000, .reason = "gone"}));
  EXPECT_EQ(close_payload({.code = 1000, .reason = "gone"}), "\x03\xe8gone");
  EXPECT_EQ(close_payload({.code = 1000, .reason = std::string(200, 'x')}).size(), kMaxControlPayload);
}

}  // namespace
}  // namespace landfall::io
