#include "http/head_writer.h"

#include <gtest/gtest.h>

namespace landfall::http {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr HeadContext kContext{.version_minor = 1, .keep_alive = true, .date = "D"};

TEST(WriteHead, WritesALengthOrChunks) {
  const ResponseHead known{.status = 201, .headers = {{"A", "b"}}, .content_length = 3};
  EXPECT_EQ(write_head(known, framing_of(known, 1), kContext),
            "HTTP/1.1 201 Created\r\nDate: D\r\nA: b\r\nContent-Length: 3\r\n\r\n");
  const ResponseHead unknown;
  EXPECT_EQ(write_head(unknown, framing_of(unknown, 1), kContext),
            "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(WriteHead, EndsAnUnknownLengthWithTheConnectionForAnOldClient) {
  const ResponseHead head;
  ASSERT_EQ(framing_of(head, 0), Framing::kUntilClose);
  EXPECT_EQ(write_head(head, Framing::kUntilClose, {.version_minor = 0, .keep_alive = false, .date = "D"}),
            "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\n");
}

TEST(WriteHead, WritesNoLengthWhereThereIsNoBody) {
  for (const int status : {204, 304}) {
    const ResponseHead head{.status = status, .headers = {}, .content_length = 0};
    EXPECT_EQ(framing_of(head, 1), Framing::kNone);
    EXPECT_EQ(write_head(head, Framing::kNone, kContext)->find("Content-Length"), std::string::npos);
  }
}

TEST(WriteHead, RefusesHeadersThatWouldBeTwo) {
  const Headers bad_values[] = {{{"A", "b\r\nC: d"}}, {{"A", "b\n"}}, {{"A", std::string("\0", 1)}}};
  for (const Headers& headers : bad_values) {
    EXPECT_FALSE(write_head({.status = 200, .headers = headers}, Framing::kChunked, kContext));
  }
  const Headers bad_names[] = {{{"A: b\r\nC", "d"}}, {{"", "b"}}, {{"A b", "c"}}};
  for (const Headers& headers : bad_names) {
    EXPECT_FALSE(write_head({.status = 200, .headers = headers}, Framing::kChunked, kContext));
  }
}

TEST(WriteHead, LeavesFramingToTheServer) {
  const ResponseHead head{.status = 200,
                          .headers = {{"content-length", "9"}, {"Transfer-Encoding", "gzip"}, {"Connection", "x"}},
                          .content_length = 1};
  EXPECT_EQ(write_head(head, Framing::kLength, kContext), "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\n\r\n");
}

TEST(WriteHead, RefusesAStatusThatIsNoAnswer) {
  EXPECT_FALSE(write_head({.status = 100}, Framing::kNone, kContext));
  EXPECT_FALSE(write_head({.status = 0}, Framing::kNone, kContext));
  EXPECT_FALSE(write_head({.status = 1000}, Framing::kNone, kContext));
}

TEST(HttpDate, IsSpelledAsTheStandardHasIt) {
  const auto day = std::chrono::sys_days{std::chrono::year{1994} / 11 / 6};
  EXPECT_EQ(http_date(day + hours(8) + minutes(49) + seconds(37)), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(ErrorAnswer, TellsTheClientWhatTheCodeMeans) {
  EXPECT_EQ(error_answer(Error(Code::kNotFound, "no such backup")).status, 404);
  EXPECT_EQ(error_answer(Error(Code::kNotFound, "no such backup")).body, "no such backup\n");
}

TEST(ErrorAnswer, KeepsAnInternalErrorToItself) {
  const Response response = error_answer(Error(Code::kInternal, "open /etc/secret: denied"));
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, "internal error\n");
}

}  // namespace
}  // namespace landfall::http
