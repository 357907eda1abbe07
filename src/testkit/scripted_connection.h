#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testkit/gate.h"

namespace landfall::testkit {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// A request as it came over the wire; chunked bodies are put together.
struct ScriptedRequest {
  std::string method;
  std::string target;  // "/path?query", or "host:port" of a CONNECT
  HeaderList headers;
  std::string body;
  HeaderList trailers;
  int connection = 0;  // the connection it came over, counted from 0

  // The first header of that name in any case, or "".
  std::string header(std::string_view name) const;
  bool has_header(std::string_view name) const;
};

// An HTTP/1.1 response with a content-length.
std::string reply(int status, std::string_view body = {}, const HeaderList& headers = {});

// One accepted connection, in the hands of the script. Every call blocks until it is done, and returns false or nothing
// once the peer has gone or the server is being stopped: a script then simply returns. Used by one thread.
class ScriptedConnection {
 public:
  struct Impl;  // made by ScriptedServer
  explicit ScriptedConnection(std::unique_ptr<Impl> impl);
  ~ScriptedConnection();
  ScriptedConnection(const ScriptedConnection&) = delete;
  ScriptedConnection& operator=(const ScriptedConnection&) = delete;

  // Counted from 0 in the order of acceptance.
  int index() const;

  // A whole request. It is recorded by the server.
  std::optional<ScriptedRequest> read_request();
  // The same in two steps, to do something in between: `100 Continue`, an early answer, a cut.
  std::optional<ScriptedRequest> read_head();
  bool read_body(ScriptedRequest& request);
  // Exactly so many bytes, or whatever comes next; for what is not a whole request. Nothing is recorded.
  std::optional<std::string> read_bytes(std::size_t count);
  std::optional<std::string> read_some();

  // Bytes as given, right or wrong.
  bool send(std::string_view bytes);
  // The same, a byte at a time, each in a packet of its own.
  bool drip(std::string_view bytes);

  // Does nothing until the test opens the gate: neither reads nor writes.
  bool wait(Gate& gate);
  // Answers nothing and drops what it reads. True when the peer went away, false when the server is stopped.
  bool hold();

  // Speaks TLS from here on: what a proxy script does after it has granted a CONNECT.
  bool start_tls();

  // An orderly end, or one by RST. Without either the connection is closed when the script returns.
  void close();
  void reset();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::testkit
