#include "testkit/scripted_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace landfall::testkit {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// The plainest client there is.
class Client {
 public:
  explicit Client(const ScriptedServer& server) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // All that comes until the server closes; `error` is the errno of a connection that was torn down.
  std::string receive_all(int* error = nullptr) const {
    std::string all;
    std::array<char, 1000> buffer{};
    ssize_t got = 0;
    while ((got = ::recv(fd_, buffer.data(), buffer.size(), 0)) > 0) {
      all.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (error != nullptr) {
      *error = got < 0 ? errno : 0;
    }
    return all;
  }
  void close() {
    if (fd_ >= 0) {
      ::close(fd_);
      fd_ = -1;
    }
  }
  bool connected() const { return connected_; }

 private:
  int fd_;
  bool connected_ = false;
};

TEST(ScriptedServer, ReadsABodyByItsContentLength) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.send(reply(200, "hello", {{"x-one", "1"}}));
  });
  const Client client(server);
  client.send("POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");

  EXPECT_EQ(client.receive_all(), "HTTP/1.1 200 Scripted\r\nx-one: 1\r\ncontent-length: 5\r\n\r\nhello");
  ASSERT_THAT(server.requests(), SizeIs(1));
  const ScriptedRequest request = server.requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a?b=c");
  EXPECT_EQ(request.header("hOST"), "x");
  EXPECT_EQ(request.body, "abc");
}

TEST(ScriptedServer, PutsAChunkedBodyTogetherAndKeepsItsTrailers) {
  ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest& r) { return reply(200, r.body); }));
  Client client(server);
  client.send(
      "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\nSum: 42\r\n\r\n");

  ASSERT_TRUE(server.await_requests(1));
  client.close();
  ASSERT_TRUE(server.await_finished(1));
  EXPECT_EQ(server.requests()[0].body, "abc0123456789");
  EXPECT_THAT(server.requests()[0].trailers, testing::ElementsAre(testing::Pair("Sum", "42")));
}

TEST(ScriptedServer, WaitsForTheTestBeforeItAnswers) {
  Gate gate;
  ScriptedServer server([&](ScriptedConnection& c) {
    if (c.read_request() && c.wait(gate)) c.drip("later");
  });
  const Client client(server);
  client.send("GET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(server.await_requests(1));

  gate.open();

  EXPECT_EQ(client.receive_all(), "later");
}

TEST(ScriptedServer, ResetsAConnection) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.reset();
  });
  const Client client(server);
  client.send("GET / HTTP/1.1\r\n\r\n");

  int error = 0;
  EXPECT_THAT(client.receive_all(&error), IsEmpty());
  EXPECT_EQ(error, ECONNRESET);
}

TEST(ScriptedServer, StopsWhileItsScriptsReadWaitAndHold) {
  Gate never;
  ScriptedServer server([&](ScriptedConnection& c) {
    switch (c.index()) {
      case 0:
        c.read_request();
        break;
      case 1:
        c.wait(never);
        break;
      default:
        EXPECT_FALSE(c.hold());
    }
  });
  const Client first(server);
  const Client second(server);
  const Client third(server);
  ASSERT_TRUE(server.await_connections(3));

  server.stop();

  EXPECT_TRUE(server.await_finished(3));
}

TEST(ScriptedServer, HoldEndsWhenTheClientGoes) {
  ScriptedServer server([](ScriptedConnection& c) { EXPECT_TRUE(c.hold()); });
  Client client(server);
  client.send("anything");
  client.close();
  EXPECT_TRUE(server.await_finished(1));
}

TEST(ScriptedServer, EndsAScriptThatReadsGarbage) {
  ScriptedServer server([](ScriptedConnection& c) { EXPECT_FALSE(c.read_request()); });
  const Client client(server);
  client.send("POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n");
  EXPECT_TRUE(server.await_finished(1));
}

}  // namespace
}  // namespace landfall::testkit
