#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "http/streaming.h"
#include "http/test_server.h"

namespace landfall::http {
namespace {

using std::chrono::milliseconds;
using testing::Answer;
using testing::Signal;
using testing::TestClient;
using testing::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

// A handler that hands its responder to the test.
struct Held {
  Signal<std::shared_ptr<Responder>> responder;
  Handler handler() {
    return [this](const Request&, const std::shared_ptr<Responder>& got) { responder.set(got); };
  }
};

TEST(ServerStream, SendsEachChunkAsItComes) {
  Held held;
  TestServer server(held.handler());
  TestClient client = server.connect();
  client.send(kGet);
  const auto responder = held.responder.wait();
  responder->begin({.status = 200, .headers = {{"Content-Type", "application/json"}}});
  const Answer head = client.read_answer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.get("Transfer-Encoding"), "chunked");
  for (const std::string event : {"one", "two", "three"}) {
    EXPECT_EQ(responder->write(event), WriteResult::kTaken);
    EXPECT_EQ(client.read_chunk(), event);
  }
  EXPECT_EQ(responder->write(""), WriteResult::kTaken);  // must not look like the end
  responder->finish();
  EXPECT_EQ(client.read_chunk(), std::nullopt);
  EXPECT_EQ(responder->write("late"), WriteResult::kClosed);
  client.send(kGet);  // the connection goes on
}

TEST(ServerStream, KeepsToTheLengthItAnnounced) {
  TestServer server([](const Request& request, const std::shared_ptr<Responder>& responder) {
    responder->begin({.status = 200, .headers = {}, .content_length = 6});
    (void)responder->write("abc");
    if (request.path == "/right") (void)responder->write("def");
    if (request.path == "/long") (void)responder->write("defg");
    responder->finish();
  });
  EXPECT_EQ(server.connect().ask("GET /right HTTP/1.1\r\nHost: h\r\n\r\n").body, "abcdef");
  EXPECT_TRUE(server.connect().ask("GET /short HTTP/1.1\r\nHost: h\r\n\r\n").truncated);
  EXPECT_TRUE(server.sink->comes("the body ends after 3 of 6 bytes"));
  EXPECT_TRUE(server.connect().ask("GET /long HTTP/1.1\r\nHost: h\r\n\r\n").truncated);
  EXPECT_TRUE(server.sink->comes("the body is longer than its announced 6 bytes"));
}

TEST(ServerStream, CutsAnAnswerThatIsAborted) {
  Held held;
  TestServer server(held.handler());
  TestClient client = server.connect();
  client.send(kGet);
  const auto responder = held.responder.wait();
  responder->begin({});
  (void)responder->write("half");
  EXPECT_TRUE(client.read_until("half"));
  responder->abort(Error(Code::kDataLoss, "the disk is broken"));
  EXPECT_TRUE(client.read_answer().truncated);
  EXPECT_TRUE(server.sink->comes("the disk is broken"));
}

TEST(ServerStream, CutsAnAnswerThatIsDropped) {
  Held held;
  TestServer server(held.handler());
  TestClient client = server.connect();
  client.send(kGet);
  held.responder.wait()->begin({});
  EXPECT_EQ(client.read_answer(true).status, 200);
  held.responder.set(nullptr);
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(server.sink->comes("the handler left a streamed answer unfinished"));
}

TEST(ServerStream, NoticesAClientThatGoesInTheMiddle) {
  Held held;
  Signal<FinishedRequest> finished;
  ServerOptions options;
  options.on_finished = [&](const FinishedRequest& request) { finished.set(request); };
  TestServer server(held.handler(), std::move(options));
  std::optional<TestClient> client(server.connect());
  client->send(kGet);
  auto responder = held.responder.wait();
  held.responder.set(nullptr);
  Signal<bool> gone;
  responder->on_close([&] { gone.set(true); });
  responder->begin({});
  (void)responder->write("first");
  EXPECT_TRUE(client->read_until("first"));
  client->reset();
  EXPECT_TRUE(gone.wait());
  EXPECT_FALSE(finished.wait().complete);
  while (server.server.open_connections() > 0) std::this_thread::yield();
  EXPECT_EQ(responder->write("second"), WriteResult::kClosed);
  EXPECT_TRUE(responder->closed());
  // Registered late, it is called at once.
  bool called = false;
  responder->on_close([&] { called = true; });
  EXPECT_TRUE(called);
}

TEST(ServerStream, ReleasesWhatTheCallbacksOwnWhenTheClientGoes) {
  Held held;
  TestServer server(held.handler());
  std::optional<TestClient> client(server.connect());
  client->send(kGet);
  auto responder = held.responder.wait();
  held.responder.set(nullptr);
  const auto owned = std::make_shared<int>(1);
  Signal<bool> gone;
  // As a careless handler has it: the responder keeps the callbacks, and they the responder.
  responder->on_close([&gone, owned, responder] { gone.set(true); });
  responder->on_drained([owned, responder] {});
  responder->begin({});
  responder.reset();
  EXPECT_EQ(client->read_answer(true).status, 200);
  client->close();
  EXPECT_TRUE(gone.wait());
  server.advance_until([&] { return server.server.open_connections() == 0; });
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(ServerStream, RefusesChunksWhileTheClientDoesNotRead) {
  Held held;
  ServerOptions options;
  options.limits.queue_bytes = 64 * 1024;
  TestServer server(held.handler(), std::move(options));
  TestClient client(server.server.port(), 16 * 1024);
  client.send(kGet);
  const auto responder = held.responder.wait();
  Monitor<int> drained;
  responder->on_drained([&] { drained.update([](int& times) { ++times; }); });
  responder->begin({});
  const Chunk chunk(std::string(10'000, 'x'));
  std::size_t taken = 0;
  // Until the kernel takes nothing more either: then the queue stays full.
  int seen = 0;
  WriteResult last = WriteResult::kTaken;
  do {
    seen = drained.copy();
    while ((last = responder->write(chunk)) == WriteResult::kTaken) ++taken;
  } while (drained.wait_until(system_clock(), {}, system_clock().after(milliseconds(200)),
                              [&](int times) { return times > seen; }));
  // Not another try: a server that was only slow may have made room by now.
  EXPECT_EQ(last, WriteResult::kFull);
  EXPECT_LT(taken * chunk.size(), 32U * 1024 * 1024);
  std::jthread finisher([&] {
    ASSERT_TRUE(drained.wait_until(system_clock(), {}, system_clock().after(std::chrono::seconds(60)),
                                   [&](int times) { return times > seen; }));
    EXPECT_EQ(responder->write(chunk), WriteResult::kTaken);
    responder->finish();
  });
  EXPECT_EQ(client.read_answer().body.size(), (taken + 1) * chunk.size());
}

TEST(ServerStream, TakesOneChunkOfAnySize) {
  Held held;
  ServerOptions options;
  options.limits.queue_bytes = 1000;
  TestServer server(held.handler(), std::move(options));
  TestClient client = server.connect();
  client.send(kGet);
  const auto responder = held.responder.wait();
  responder->begin({});
  EXPECT_EQ(responder->write(std::string(5'000'000, 'x')), WriteResult::kTaken);
  EXPECT_EQ(responder->write("y"), WriteResult::kFull);
  std::jthread finisher([&] {
    while (responder->write("y") != WriteResult::kTaken) std::this_thread::yield();
    responder->finish();
  });
  EXPECT_EQ(client.read_answer().body.size(), 5'000'001U);
}

TEST(ServerStream, CutsAClientThatNeverReads) {
  Signal<bool> gone;
  std::atomic<std::uint64_t> produced = 0;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->on_close([&] { gone.set(true); });
    stream(responder, {}, [&]() -> Result<std::optional<std::string>> {
      produced += 50'000;
      return std::string(50'000, 'x');
    });
  });
  TestClient client(server.server.port(), 16 * 1024);
  client.send(kGet);
  server.advance_until([&] { return gone.wait_for(milliseconds(20)); }, std::chrono::seconds(20));
  EXPECT_TRUE(gone.is_set());
  // The kernel's buffers and our queue: an endless answer costs no more than that.
  EXPECT_LT(produced, 32U * 1024 * 1024);
  EXPECT_TRUE(server.sink->comes("a client does not read"));
}

TEST(ServerStream, LetsASlowReaderGoOn) {
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    auto left = std::make_shared<int>(400);
    stream(responder, {}, [left]() -> Result<std::optional<std::string>> {
      if ((*left)-- == 0) return std::nullopt;
      return std::string(50'000, 'x');
    });
  });
  TestClient client(server.server.port(), 16 * 1024);
  client.send(kGet);
  EXPECT_EQ(client.read_answer(true).status, 200);
  std::size_t total = 0;
  while (const auto chunk = client.read_chunk()) {
    total += chunk->size();
    server.clock.advance(std::chrono::seconds(2));  // many times the write time-out in all
  }
  EXPECT_EQ(total, 20'000'000U);
}

// As many as the machine lets us have, on two threads.
TEST(ServerStream, ServesThousandsOfStreamsWithTwoThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::size_t count = 500;
#else
  std::size_t count = 2000;
#endif
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  count = std::min<std::size_t>(count, (files.rlim_cur - 100) / 2);

  Monitor<std::vector<std::shared_ptr<Responder>>> watchers;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->begin({});
    watchers.update([&](auto& all) { all.push_back(responder); });
  });
  std::vector<TestClient> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(server.connect());
    clients.back().send(kGet);
  }
  ASSERT_TRUE(watchers.wait_until(system_clock(), {}, system_clock().after(std::chrono::seconds(60)),
                                  [&](const auto& all) { return all.size() == count; }));
  // One event, shared by all, told from several threads at once.
  const Chunk event(std::string(1000, 'e'));
  auto all = watchers.update([](auto& held) { return std::exchange(held, {}); });
  {
    std::vector<std::jthread> tellers;
    for (std::size_t part = 0; part < 4; ++part) {
      tellers.emplace_back([&, part] {
        for (std::size_t i = part; i < all.size(); i += 4) {
          EXPECT_EQ(all[i]->write(event), WriteResult::kTaken);
          all[i]->finish();
        }
      });
    }
  }
  for (TestClient& client : clients) ASSERT_EQ(client.read_answer().body, event.view());
  EXPECT_EQ(server.server.open_connections(), count);
}

TEST(ServerStream, LetsManyThreadsWriteToOneAnswer) {
  Held held;
  TestServer server(held.handler());
  TestClient client = server.connect();
  client.send(kGet);
  const auto responder = held.responder.wait();
  responder->begin({});
  std::jthread writers([&] {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200;) {
          if (responder->write("0123456789") == WriteResult::kTaken) ++i;
        }
      });
    }
    threads.clear();
    responder->finish();
  });
  std::string all;
  for (int i = 0; i < 800; ++i) all += "0123456789";
  EXPECT_EQ(client.read_answer().body, all);
}

}  // namespace
}  // namespace landfall::http
