#include "http/request_parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall::http {
namespace {

constexpr RequestParser::Limits kLimits{.header_bytes = 4096, .header_count = 20};

struct Parsed {
  std::optional<Refusal> refusal = std::nullopt;
  bool done = false;
  Request request = Request{};
  bool keep_alive = false;
  std::size_t consumed = 0;
};

// Feeds the bytes in pieces of the given size, as a connection does.
Parsed parse(std::string_view bytes, std::size_t piece = SIZE_MAX, std::uint64_t body_limit = 1000) {
  RequestParser parser(kLimits);
  Parsed parsed;
  std::size_t offered = 0;
  while (!parsed.done && offered < bytes.size()) {
    offered = std::min(bytes.size(), piece > bytes.size() ? bytes.size() : offered + piece);
    while (parsed.consumed < offered && !parsed.done) {
      const auto step = parser.feed(bytes.substr(parsed.consumed, offered - parsed.consumed));
      if (!step) return {.refusal = step.error()};
      parsed.consumed += step->consumed;
      if (step->progress == RequestParser::Progress::kHead) {
        const auto allowed = parser.allow_body(body_limit);
        if (!allowed) return {.refusal = allowed.error()};
        parsed.done = *allowed == RequestParser::Progress::kDone;
        continue;
      }
      parsed.done = step->progress == RequestParser::Progress::kDone;
      if (step->consumed == 0) break;
    }
  }
  if (parsed.done) {
    parsed.keep_alive = parser.keep_alive();
    parsed.request = std::move(parser.request());
  }
  return parsed;
}

int status_for(std::string_view bytes) {
  const Parsed parsed = parse(bytes);
  return parsed.refusal ? parsed.refusal->status : 0;
}

TEST(RequestParser, ReadsARequestWithItsBody) {
  const Parsed parsed = parse("POST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX-Y:  z \r\nContent-Length: 5\r\n\r\nhello rest");
  ASSERT_TRUE(parsed.done);
  EXPECT_EQ(parsed.request.method, "POST");
  EXPECT_EQ(parsed.request.target, "/a%20b?c=d");
  EXPECT_EQ(parsed.request.raw_path, "/a%20b");
  EXPECT_EQ(parsed.request.path, "/a b");
  EXPECT_EQ(parsed.request.query.get("c"), "d");
  EXPECT_EQ(parsed.request.headers.get("x-y"), "z");
  EXPECT_EQ(parsed.request.body, "hello");
  EXPECT_TRUE(parsed.keep_alive);
}

TEST(RequestParser, PutsChunksTogetherAndSkipsTrailers) {
  const Parsed parsed = parse(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;name=\"value\"\r\nabc\r\n2\r\nde\r\n0\r\nTrailer-Field: x\r\n\r\nnext");
  ASSERT_TRUE(parsed.done);
  EXPECT_EQ(parsed.request.body, "abcde");
  EXPECT_FALSE(parsed.request.headers.contains("Trailer-Field"));
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
  const std::string_view first = "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n";
  const Parsed parsed = parse(std::string(first) + " GET /2");
  ASSERT_TRUE(parsed.done);
  EXPECT_EQ(parsed.consumed, first.size());
}

TEST(RequestParser, SkipsEmptyLinesBeforeARequest) {
  EXPECT_TRUE(parse("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").done);
  EXPECT_TRUE(parse("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 1).done);
}

TEST(RequestParser, LetsAnAbsoluteTargetNameTheHost) {
  const Parsed parsed = parse("GET http://real:80/x HTTP/1.1\r\nHost: other\r\n\r\n");
  ASSERT_TRUE(parsed.done);
  EXPECT_EQ(parsed.request.path, "/x");
  EXPECT_EQ(parsed.request.headers.all("Host"), std::vector<std::string_view>{"real:80"});
}

TEST(RequestParser, KnowsWhetherTheConnectionGoesOn) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n").keep_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

struct Smuggled {
  std::string_view headers;
  int status;
};
class RequestParserRefuses : public ::testing::TestWithParam<Smuggled> {};

TEST_P(RequestParserRefuses, AmbiguousFraming) {
  const std::string request =
      "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(GetParam().headers) + "\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n";
  EXPECT_EQ(status_for(request), GetParam().status);
}

INSTANTIATE_TEST_SUITE_P(
    Http, RequestParserRefuses,
    ::testing::Values(
        Smuggled{"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400},
        Smuggled{"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400},
        Smuggled{"Content-Length: 5\r\nContent-Length: 6\r\n", 400},
        Smuggled{"Content-Length: 5\r\nContent-Length: 5\r\n", 400}, Smuggled{"Content-Length: 5, 5\r\n", 400},
        Smuggled{"Content-Length: +5\r\n", 400}, Smuggled{"Content-Length: -5\r\n", 400},
        Smuggled{"Content-Length: 0x5\r\n", 400}, Smuggled{"Content-Length: \r\n", 400},
        Smuggled{"Content-Length: 5 5\r\n", 400}, Smuggled{"Content-Length: 99999999999999999999\r\n", 400},
        Smuggled{"Transfer-Encoding: xchunked\r\n", 501}, Smuggled{"Transfer-Encoding: gzip, chunked\r\n", 501},
        Smuggled{"Transfer-Encoding: chunked, gzip\r\n", 501}, Smuggled{"Transfer-Encoding: identity\r\n", 501},
        Smuggled{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
        Smuggled{"Transfer-Encoding:\r\n chunked\r\n", 400}, Smuggled{"Transfer-Encoding : chunked\r\n", 400},
        Smuggled{" Transfer-Encoding: chunked\r\n", 400}, Smuggled{"X: y\r\n Transfer-Encoding: chunked\r\n", 400},
        Smuggled{"X: y\nTransfer-Encoding: chunked\r\n", 400}, Smuggled{"X: y\rTransfer-Encoding: chunked\r\n", 400},
        Smuggled{"Transfer-Encoding: chun\x0bked\r\n", 400}, Smuggled{"Host: other\r\n", 400},
        Smuggled{"Expect: something\r\n", 417}));

TEST(RequestParser, RefusesBadChunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string_view body : {"x\r\n", "-1\r\na\r\n", "3\r\nabcd\r\n0\r\n\r\n", "10000000000000000\r\n",
                                      "3 \r\nabc", "3\rabc\r\n0\r\n\r\n", "0\r\nContent-Length: 1\r\n\r\n"}) {
    EXPECT_EQ(status_for(head + std::string(body)), 400) << body;
  }
}

TEST(RequestParser, RefusesBadRequestLines) {
  EXPECT_EQ(status_for("GET /%2e%2e HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_for("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_for("GET  HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_for("G@T / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_for("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(status_for("GET /\r\n\r\n"), 400);
  EXPECT_EQ(status_for("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"), 501);
  EXPECT_EQ(status_for("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_for("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status_for("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS in plain"), 400);
}

TEST(RequestParser, LimitsTheHeadHoweverItComes) {
  std::string request = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 10; ++i) request += "X-" + std::to_string(i) + ": " + std::string(500, 'x') + "\r\n";
  request += "\r\n";
  EXPECT_EQ(status_for(request), 431);
  const Parsed slowly = parse(request, 7);
  ASSERT_TRUE(slowly.refusal);
  EXPECT_EQ(slowly.refusal->status, 431);
  EXPECT_EQ(status_for("GET /" + std::string(5000, 'a')), 431);
}

TEST(RequestParser, LimitsTheNumberOfHeaders) {
  std::string request = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 20; ++i) request += "X: y\r\n";
  EXPECT_EQ(status_for(request + "\r\n"), 431);
}

TEST(RequestParser, LimitsTheBodyBeforeItIsRead) {
  EXPECT_EQ(status_for("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n"), 413);
  EXPECT_EQ(status_for("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n"), 413);
  EXPECT_EQ(status_for("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n"), 413);
  std::string chunks = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 11; ++i) chunks += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_EQ(status_for(chunks), 413);
}

TEST(RequestParser, LimitsWhatStandsBetweenChunks) {
  const std::string head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status_for(head + "3;" + std::string(5000, 'a')), 431);
  EXPECT_EQ(status_for(head + "0\r\nX: " + std::string(5000, 'a')), 431);
}

const std::vector<std::string> kRequests = {
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "POST /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nX: y\r\n\r\nhello world",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n \r\n0\r\nT: u\r\n\r\n",
    "\r\nGET http://h/x HTTP/1.1\r\nHost: i\r\nExpect: 100-continue\r\n\r\n",
};

RC_GTEST_PROP(RequestParser, ReadsTheSameInPiecesOfAnySize, ()) {
  const std::string request = *rc::gen::elementOf(kRequests);
  const auto piece = *rc::gen::inRange<std::size_t>(1, request.size() + 1);
  const Parsed whole = parse(request);
  const Parsed pieces = parse(request, piece);
  RC_ASSERT(whole.done);
  RC_ASSERT(pieces.done);
  RC_ASSERT(pieces.consumed == whole.consumed);
  RC_ASSERT(pieces.request.target == whole.request.target);
  RC_ASSERT(pieces.request.headers == whole.request.headers);
  RC_ASSERT(pieces.request.body == whole.request.body);
}

}  // namespace
}  // namespace landfall::http
