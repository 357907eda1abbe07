#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "http/responder.h"
#include "http/server_options.h"

namespace landfall::http {

// An HTTP/1.1 server on one address, plain or TLS.
//
// A few threads serve any number of connections: each connection lives on one of them, and the handler runs there.
// Everything that the handler and the options refer to must outlive the server. Responders may outlive it: they find
// their client gone. All methods may be called from any thread, but stop() and the destructor not from a handler.
class Server {
 public:
  Server(ServerOptions options, Handler handler, Clock& clock, const Logger& log);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Cuts what is still open.
  ~Server();

  // Binds and serves. The error names the address and port: kAlreadyExists when they are in use, kForbidden, kInvalid
  // for an address that is not ours or options that cannot work (a key that is not the certificate's).
  Status start();

  // The real port, after start().
  std::uint16_t port() const;
  // "https://127.0.0.1:6443", after start().
  std::string url() const;
  std::size_t open_connections() const;

  // Stops accepting, closes idle connections and waits until the running answers are out; at the deadline the rest is
  // cut. Returns true when nothing had to be cut. The server cannot be started again.
  bool stop(SteadyTime deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::http
