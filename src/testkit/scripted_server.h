#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testkit/scripted_connection.h"

namespace landfall::testkit {

struct ScriptedTls {
  std::string certificate_pem;
  std::string key_pem;
  std::string client_ca_pem;  // when set, a client must show a certificate of this authority
  bool only_tls_1_1 = false;  // a server of yesterday
  bool from_start = true;     // otherwise from ScriptedConnection::start_tls()
};

// A server on a free port of 127.0.0.1 whose misbehaviour is written down as a function:
//
//   ScriptedServer server([](ScriptedConnection& c) {
//     if (c.read_request()) c.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this");  // and cut
//   });
//
// The script runs once per connection, each on a thread of its own. What it captures must outlive the server, so
// declare the server last. Destruction stops every script that is in one of the connection's calls and joins the
// threads. Thread-safe.
class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedConnection&)>;
  explicit ScriptedServer(Script script, const std::optional<ScriptedTls>& tls = {});
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  // A script that answers request after request on each connection with the bytes that `answer` returns.
  static Script answering(std::function<std::string(const ScriptedRequest&)> answer);

  std::uint16_t port() const;
  // "http://127.0.0.1:PORT/path", with https when it speaks TLS from the start.
  std::string url(std::string_view target = "/") const;

  // What has been received so far, in order. A request shows up with its head; its body follows when it is complete.
  std::vector<ScriptedRequest> requests() const;
  int connections() const;

  // Wait until so many have been seen: heads of requests, accepted connections, connections that are over.
  // False after kPatience: assert on it.
  bool await_requests(int count) const;
  bool await_connections(int count) const;
  bool await_finished(int count) const;

  // What the destructor does.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::testkit
