#include "io/gzip_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>

#include "io/gzip_writer.h"
#include "io/test_support.h"

namespace landfall::io {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;

constexpr std::size_t kMiB = 1UL << 20U;

std::string gzip(std::string_view bytes) {
  StringWriter sink;
  GzipWriter writer(sink);
  EXPECT_TRUE(writer.write(bytes));
  EXPECT_TRUE(writer.close());
  return sink.take();
}

Result<std::string> gunzip(std::string_view compressed, GzipLimits limits = {}, std::size_t step = 1000) {
  StepReader source(compressed, step);
  GzipReader reader(source, limits);
  auto bytes = read_all(reader, 100 * kMiB);
  if (!bytes) {
    std::array<char, 10> buffer{};
    EXPECT_EQ(reader.read(buffer).error(), bytes.error()) << "an error stays";
  }
  return bytes;
}

// A member with every optional part of a header.
std::string with_full_header(std::string bytes, bool right_checksum) {
  std::string compressed(1000, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string extra = "extra field";
  std::string name = "name.json";
  std::string comment = "comment";
  gz_header header{};
  header.text = 1;
  header.time = 12345;
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.hcrc = 1;
  deflateSetHeader(&stream, &header);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  if (!right_checksum) {
    compressed[compressed.find("comment")] = 'C';
  }
  return compressed;
}

TEST(GzipReader, ReadsAllMembersAsOneStream) {
  const std::string compressed = gzip("one ") + gzip("") + gzip("two ") + gzip("three");
  for (const std::size_t step : {1UL, 7UL, 1000UL}) {
    EXPECT_EQ(gunzip(compressed, {}, step), "one two three");
  }
}

TEST(GzipReader, ReadsWhatGzipWrites) {
  const std::string text(300'000, 'x');
  EXPECT_EQ(gunzip(run_program({"gzip", "-c"}, text)), text);
  EXPECT_EQ(gunzip(run_program({"gzip", "-c9"}, "")), "");
}

TEST(GzipReader, ReadsEveryKindOfHeader) {
  EXPECT_EQ(gunzip(with_full_header("text", true), {}, 1), "text");
  EXPECT_EQ(gunzip(with_full_header("text", false)).error().code(), Code::kDataLoss) << "the header has a checksum";
}

TEST(GzipReader, AnEmptyFileIsAnErrorThatSaysSo) {
  const auto result = gunzip("");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Error(Code::kDataLoss, "gzip offset 0: empty: gzip data has at least 18 bytes"));
}

TEST(GzipReader, EveryCutIsDataLoss) {
  const std::string compressed = with_full_header("some text, some text", true);
  for (std::size_t length = 0; length < compressed.size(); ++length) {
    const auto result = gunzip(compressed.substr(0, length));
    ASSERT_FALSE(result) << length;
    EXPECT_EQ(result.error().code(), Code::kDataLoss);
    EXPECT_THAT(result.error().message(), HasSubstr("gzip offset " + std::to_string(length) + ": "));
  }
  const std::string second = compressed + compressed.substr(0, 1);
  EXPECT_EQ(gunzip(second).error().message(),
            "gzip offset " + std::to_string(second.size()) + ": cut: the data ends inside a member");
}

TEST(GzipReader, EveryBitFlipIsAnErrorOrTheSameText) {
  const std::string text = "some text, some text, some other text";
  for (const std::string& compressed : {gzip(text), with_full_header(text, true), gzip("") + gzip(text)}) {
    for (std::size_t bit = 0; bit < 8 * compressed.size(); ++bit) {
      std::string damaged = compressed;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      if (const auto result = gunzip(damaged)) {
        EXPECT_EQ(*result, text) << "bit " << bit;
      } else {
        EXPECT_EQ(result.error().code(), Code::kDataLoss);
        EXPECT_THAT(result.error().message(), HasSubstr("gzip offset "));
      }
    }
  }
}

TEST(GzipReader, WhatFollowsTheEndIsDataLoss) {
  const std::string compressed = gzip("text");
  for (const std::string& rest : {"x"s, "\0"s, "\x1f\x8c"s, "garbage"s}) {
    const auto result = gunzip(compressed + rest);
    ASSERT_FALSE(result) << rest;
    EXPECT_EQ(result.error().message(),
              "gzip offset " + std::to_string(compressed.size()) + ": something that is not gzip follows the end");
    EXPECT_EQ(result.error().code(), Code::kDataLoss);
  }
}

TEST(GzipReader, OtherDataIsNotGzip) {
  EXPECT_EQ(gunzip("{\"kind\":\"Backup\"}").error().message(), "gzip offset 0: not gzip data");
  EXPECT_EQ(gunzip("\x1f\x8b\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s).error().code(), Code::kDataLoss) << "other method";
}

TEST(GzipReader, StopsAtTheOutputLimit) {
  const std::string compressed = gzip(std::string(100'000, 'x'));
  EXPECT_TRUE(gunzip(compressed, {.output = 100'000}));
  const auto result = gunzip(compressed, {.output = 99'999});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
  EXPECT_THAT(result.error().message(), HasSubstr("more than 99999 bytes when uncompressed"));
}

TEST(GzipReader, StopsADecompressionBomb) {
  const std::string compressed = gzip(std::string(20 * kMiB, '\0'));
  ASSERT_LT(compressed.size(), 30'000U);
  const auto result = gunzip(compressed, {.ratio = 100, .ratio_from = kMiB});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
  EXPECT_THAT(result.error().message(), HasSubstr("decompression bomb"));
  EXPECT_TRUE(gunzip(compressed, {.ratio = 2000, .ratio_from = kMiB}));
  EXPECT_TRUE(gunzip(compressed, {.ratio = 0, .ratio_from = 0})) << "no limit";
  EXPECT_TRUE(gunzip(compressed, {.ratio = 100, .ratio_from = 20 * kMiB})) << "small enough to be harmless";
}

TEST(GzipReader, TheDefaultLimitsStopALargeBomb) {
  const std::string member = gzip(std::string(kMiB, '\0'));
  std::string bomb;
  for (int i = 0; i < 200; ++i) {
    bomb += member;
  }
  StringReader source(bomb);
  GzipReader reader(source);
  EXPECT_EQ(read_all(reader, 500 * kMiB).error().code(), Code::kTooLarge);
}

TEST(GzipReader, TellsHowMuchItHasUsed) {
  const std::string compressed = gzip("text");
  StringReader source(compressed);
  GzipReader reader(source);
  EXPECT_EQ(reader.consumed(), 0U);
  ASSERT_TRUE(read_all(reader, 100));
  EXPECT_EQ(reader.consumed(), compressed.size());
}

TEST(GzipReader, PassesOnTheErrorOfItsSource) {
  const std::string compressed = gzip("text");
  StepReader source(compressed, 5, 12);
  GzipReader reader(source);
  EXPECT_EQ(read_all(reader, 100).error(), Error(Code::kUnavailable, "connection cut"));
}

}  // namespace
}  // namespace landfall::io
