#include <gtest/gtest.h>

#include <atomic>

#include "http/blocking_writer.h"
#include "http/recording_responder.h"
#include "http/test_server.h"
#include "http/worker_pool.h"
#include "testkit/gate.h"

namespace landfall::http {
namespace {

using testing::Answer;
using testing::RecordingSink;
using testing::Signal;
using testing::TestClient;
using testing::TestServer;
using testkit::Gate;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(WorkerPool, RunsTasksOnNamedThreads) {
  WorkerPool pool({.name = "blocking", .threads = 1, .queue = 4}, system_clock(), {});
  Signal<std::string> name;
  EXPECT_TRUE(pool.submit([&](const std::stop_token&) {
    char text_of_name[16] = {};
    pthread_getname_np(pthread_self(), text_of_name, sizeof(text_of_name));
    name.set(text_of_name);
  }));
  EXPECT_EQ(name.wait(), "blocking-0");
}

TEST(WorkerPool, RefusesMoreThanItsQueueHolds) {
  Gate open;
  Signal<bool> running;
  WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), {});
  ASSERT_TRUE(pool.submit([&](const std::stop_token& stop) {
    running.set(true);
    open.await(stop);
  }));
  running.wait();
  EXPECT_TRUE(pool.submit([](const std::stop_token&) {}));
  EXPECT_TRUE(pool.submit([](const std::stop_token&) {}));
  EXPECT_FALSE(pool.submit([](const std::stop_token&) {}));
  open.open();
}

TEST(WorkerPool, SurvivesATaskThatThrows) {
  const auto sink = std::make_shared<RecordingSink>();
  WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), Logger(system_clock(), sink));
  pool.submit([](const std::stop_token&) { throw std::runtime_error("oh"); });
  Signal<bool> next;
  pool.submit([&](const std::stop_token&) { next.set(true); });
  EXPECT_TRUE(next.wait());
  EXPECT_TRUE(sink->has("a task threw pool=w error=oh"));
}

TEST(WorkerPool, StopsItsTasksWhenItGoes) {
  std::atomic<bool> ran = false;
  Gate never;
  Signal<bool> running;
  {
    WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), {});
    pool.submit([&](const std::stop_token& stop) {
      running.set(true);
      EXPECT_FALSE(never.await(stop));
    });
    pool.submit([&](const std::stop_token&) { ran = true; });
    running.wait();
  }
  EXPECT_FALSE(ran);
}

TEST(OnWorkers, LetsAHandlerBlockWhileOthersAreServed) {
  Gate open;
  WorkerPool pool({.name = "w", .threads = 2, .queue = 4}, system_clock(), {});
  TestServer server(on_workers(
      pool, [&](const Request& request, const std::shared_ptr<Responder>& responder, const std::stop_token& stop) {
        if (request.path == "/slow") open.await(stop);
        responder->send(text(200, request.path));
      }));
  TestClient slow = server.connect();
  slow.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(server.connect().ask("GET /fast HTTP/1.1\r\nHost: h\r\n\r\n").body, "/fast");
  open.open();
  EXPECT_EQ(slow.read_answer().body, "/slow");
}

TEST(OnWorkers, AnswersAFullQueueWithTryAgain) {
  Gate open;
  Signal<bool> running;
  WorkerPool pool({.name = "w", .threads = 1, .queue = 0}, system_clock(), {});
  pool.resume([&](const std::stop_token& stop) {
    running.set(true);
    open.await(stop);
  });
  running.wait();
  TestServer server(on_workers(pool, [](const Request&, const std::shared_ptr<Responder>& responder,
                                        const std::stop_token&) { responder->send(text(200, "")); }));
  const Answer answer = server.connect().ask(kGet);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.get("Retry-After"), "1");
  open.open();
}

TEST(OnWorkers, AnswersForAHandlerThatThrows) {
  const auto sink = std::make_shared<RecordingSink>();
  WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), Logger(system_clock(), sink));
  TestServer server(
      on_workers(pool, [](const Request& request, const std::shared_ptr<Responder>& responder, const std::stop_token&) {
        if (request.path == "/begun") {
          responder->begin({});
          (void)responder->write("half");
        }
        throw std::runtime_error("oh");
      }));
  EXPECT_EQ(server.connect().ask(kGet).status, 500);
  EXPECT_TRUE(sink->comes("a task threw pool=w error=oh"));
  EXPECT_TRUE(server.connect().ask("GET /begun HTTP/1.1\r\nHost: h\r\n\r\n").truncated);
}

TEST(OnWorkers, DoesNotRunARequestWhoseClientHasGone) {
  Gate open;
  Signal<bool> running;
  std::atomic<bool> ran = false;
  WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), {});
  pool.submit([&](const std::stop_token& stop) {
    running.set(true);
    open.await(stop);
  });
  running.wait();
  Signal<bool> seen;
  const Handler handler =
      on_workers(pool, [&](const Request&, const std::shared_ptr<Responder>&, const std::stop_token&) { ran = true; });
  TestServer server([&](Request request, const std::shared_ptr<Responder>& responder) {
    handler(std::move(request), responder);
    seen.set(true);
  });
  TestClient client = server.connect();
  client.send(kGet);
  seen.wait();
  client.reset();
  while (server.server.open_connections() > 0) std::this_thread::yield();
  Signal<bool> after;
  pool.submit([&](const std::stop_token&) { after.set(true); });
  open.open();
  after.wait();
  EXPECT_FALSE(ran);
}

TEST(BlockingWriter, WaitsForTheClientToRead) {
  WorkerPool pool({.name = "w", .threads = 1, .queue = 2}, system_clock(), {});
  ServerOptions options;
  options.limits.queue_bytes = 50'000;
  TestServer server(
      on_workers(pool,
                 [](const Request&, const std::shared_ptr<Responder>& responder, const std::stop_token& stop) {
                   BlockingWriter writer(responder, {}, system_clock());
                   const Chunk piece(std::string(20'000, 'x'));
                   for (int i = 0; i < 500; ++i) ASSERT_TRUE(writer.write(piece, stop));
                   writer.finish();
                 }),
      std::move(options));
  TestClient client(server.server.port(), 16 * 1024);
  EXPECT_EQ(client.ask(kGet).body.size(), 10'000'000U);
}

TEST(BlockingWriter, SaysWhyItCannotGoOn) {
  const auto responder = std::make_shared<RecordingResponder>(10);
  ManualClock clock;
  BlockingWriter writer(responder, {}, clock);
  EXPECT_TRUE(writer.write("0123456789", {}));
  EXPECT_EQ(writer.write("x", {}, clock.now()).error().code(), Code::kTimeout);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(writer.write("x", stop.get_token()).error().code(), Code::kCancelled);
  responder->close();
  EXPECT_EQ(writer.write("x", {}).error().code(), Code::kUnavailable);
}

TEST(BlockingWriter, CutsAnAnswerThatItDoesNotFinish) {
  const auto responder = std::make_shared<RecordingResponder>();
  {
    BlockingWriter writer(responder, {}, system_clock());
    EXPECT_TRUE(writer.write("half", {}));
  }
  EXPECT_TRUE(responder->answer().aborted);
  EXPECT_FALSE(responder->answer().finished);
}

}  // namespace
}  // namespace landfall::http
