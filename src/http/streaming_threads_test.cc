#include <fcntl.h>
#include <gtest/gtest.h>

#include <thread>

#include "http/recording_responder.h"
#include "http/streaming.h"
#include "http/test_server.h"
#include "http/worker_pool.h"
#include "testkit/temp_dir.h"

namespace landfall::http {
namespace {

using testing::Answer;
using testing::TestClient;
using testing::TestServer;
using testkit::TempDir;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

Producer counting(int pieces, const std::shared_ptr<int>& asked) {
  return [=]() -> Result<std::optional<std::string>> {
    if (*asked == pieces) return std::nullopt;
    return std::to_string((*asked)++) + ";";
  };
}

TEST(Stream, AsksTheProducerOnlyWhileThereIsRoom) {
  const auto responder = std::make_shared<RecordingResponder>(6);
  const auto asked = std::make_shared<int>(0);
  stream(responder, {}, counting(10, asked));
  EXPECT_EQ(*asked, 4);  // three fit, one waits in hand
  EXPECT_EQ(responder->answer().body, "0;1;2;");
  responder->drain();
  EXPECT_EQ(*asked, 7);
  responder->drain();
  responder->drain();
  EXPECT_EQ(responder->answer().body, "0;1;2;3;4;5;6;7;8;9;");
  EXPECT_TRUE(responder->answer().finished);
}

TEST(Stream, CutsTheAnswerWhenTheProducerFails) {
  const auto responder = std::make_shared<RecordingResponder>();
  int asked = 0;
  stream(responder, {}, [&]() -> Result<std::optional<std::string>> {
    if (++asked == 2) return fail(Code::kDataLoss, "the archive is damaged");
    return "good";
  });
  EXPECT_EQ(responder->answer().body, "good");
  EXPECT_FALSE(responder->answer().finished);
  ASSERT_TRUE(responder->answer().aborted);
  EXPECT_EQ(responder->answer().aborted->message(), "the archive is damaged");
}

TEST(Stream, StopsAskingWhenTheClientHasGone) {
  const auto responder = std::make_shared<RecordingResponder>(6);
  const auto asked = std::make_shared<int>(0);
  stream(responder, {}, counting(1000, asked));
  responder->close();
  responder->drain();
  EXPECT_EQ(*asked, 4);
}

TEST(Stream, CarriesALargeAnswerThroughASmallQueue) {
  WorkerPool pool({.name = "w", .threads = 2, .queue = 2}, system_clock(), {});
  ServerOptions options;
  options.limits.queue_bytes = 4000;
  TestServer server(
      [&](const Request& request, const std::shared_ptr<Responder>& responder) {
        stream(responder, {}, counting(50'000, std::make_shared<int>(0)), request.path == "/pool" ? &pool : nullptr);
      },
      std::move(options));
  std::string expected;
  for (int i = 0; i < 50'000; ++i) expected += std::to_string(i) + ";";
  TestClient client(server.server.port(), 16 * 1024);
  EXPECT_EQ(client.ask(kGet).body, expected);
  EXPECT_EQ(client.ask("GET /pool HTTP/1.1\r\nHost: h\r\n\r\n").body, expected);
}

TEST(Stream, LogsAProducerThatThrows) {
  TestServer server([](const Request&, const std::shared_ptr<Responder>& responder) {
    stream(responder, {}, []() -> Result<std::optional<std::string>> { throw std::runtime_error("oh"); });
  });
  EXPECT_TRUE(server.connect().ask(kGet).truncated);
  EXPECT_TRUE(server.sink->comes("a handler threw method=GET path=/ error=oh"));
}

TEST(Stream, LetsGoOfTheProducerWhenTheAnswerIsOver) {
  const auto owned = std::make_shared<int>(0);
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    stream(responder, {}, [owned]() -> Result<std::optional<std::string>> {
      if ((*owned)++ % 2 == 1) return std::nullopt;
      return "x";
    });
  });
  TestClient client = server.connect();
  EXPECT_EQ(client.ask(kGet).body, "x");
  EXPECT_EQ(client.ask(kGet).body, "x");  // the first answer's end lies before it
  client.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  client.close();
  while (server.server.open_connections() > 0) std::this_thread::yield();
  EXPECT_EQ(owned.use_count(), 1);
}

class StreamFile : public ::testing::Test {
 protected:
  Answer get(std::uint64_t offset, std::uint64_t length) {
    const std::filesystem::path path = dir_.write("artifact", content_);
    WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), {});
    TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
      stream_file(responder, {.status = 200, .headers = {{"Content-Type", "application/gzip"}}},
                  FileRange(::open(path.c_str(), O_RDONLY | O_CLOEXEC), offset, length), pool);
    });
    Answer answer = server.connect().ask(kGet);
    explained_ = server.sink->has("error=the file ends at offset 2000000, 10 bytes early");
    return answer;
  }

  std::string content_ = std::string(1'000'000, 'a') + std::string(1'000'000, 'b');
  bool explained_ = false;
  TempDir dir_;
};

TEST_F(StreamFile, SendsTheWholeFileWithItsLength) {
  const Answer answer = get(0, 2'000'000);
  EXPECT_EQ(answer.headers.get("Content-Length"), "2000000");
  EXPECT_EQ(answer.headers.get("Content-Type"), "application/gzip");
  EXPECT_EQ(answer.body, content_);
}

TEST_F(StreamFile, SendsAPart) { EXPECT_EQ(get(999'999, 2).body, "ab"); }

TEST_F(StreamFile, SendsNothingOfAnEmptyRange) { EXPECT_EQ(get(5, 0).headers.get("Content-Length"), "0"); }

TEST_F(StreamFile, CutsTheAnswerWhenTheFileIsShorterThanItWas) {
  EXPECT_TRUE(get(1'999'990, 20).truncated);
  EXPECT_TRUE(explained_);
}

}  // namespace
}  // namespace landfall::http
