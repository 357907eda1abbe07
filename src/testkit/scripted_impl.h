#pragma once

// Shared by scripted_server.cc and scripted_connection.cc only.

#include <openssl/ssl.h>

#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "testkit/scripted_connection.h"
#include "testkit/scripted_socket.h"

namespace landfall::testkit {

struct ScriptedRecord {
  std::vector<ScriptedRequest> requests;
  int connections = 0;
  int finished = 0;
};

struct ScriptedConnection::Impl {
  Impl(int fd, int stop_fd, int number, SSL_CTX* context, std::stop_token token, Monitor<ScriptedRecord>& seen)
      : socket(fd, stop_fd), index(number), tls(context), stop(std::move(token)), record(seen) {}

  // Reads more bytes behind those that are there.
  bool fill();
  std::optional<std::string> take_line();
  std::optional<std::string> take(std::size_t count);
  bool read_fields(HeaderList& fields);
  bool read_chunks(ScriptedRequest& request);

  ScriptedSocket socket;
  int index;
  SSL_CTX* tls;  // null: it has no certificate
  std::stop_token stop;
  Monitor<ScriptedRecord>& record;
  std::string unread;        // received, not yet taken
  std::size_t recorded = 0;  // where the request that is being read stands in the record
};

}  // namespace landfall::testkit
