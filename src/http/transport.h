#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "http/request.h"

namespace landfall::http {

class IoLoop;
class TlsContext;

// Internal to the module. The bytes of one connection, plain or TLS, without the templates behind them.
//
// Operations are asynchronous: they return at once and report to Events later, on the loop's thread and never from
// inside the call. At most one read and one write may run at a time. The Events object is kept alive while one does.
// All calls belong to the loop's thread, except wake().
class Transport {
 public:
  enum class End { kNone, kClosed, kFailed };  // kClosed: the client has nothing more to say
  struct Outcome {
    std::size_t bytes = 0;
    End end = End::kNone;
    std::error_code error;  // why it failed
  };

  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_handshake(Outcome outcome) = 0;
    virtual void on_read(Outcome outcome) = 0;
    virtual void on_write(Outcome outcome) = 0;
    virtual void on_sending_closed() = 0;
    virtual void on_wake() = 0;
  };
  using Self = std::shared_ptr<Events>;

  virtual ~Transport() = default;

  virtual void handshake(Self self) = 0;
  // After the handshake; null without a client certificate.
  virtual std::shared_ptr<const ClientIdentity> identity() const = 0;
  // Reads at least one byte into the buffer, which must stay until on_read().
  virtual void read(Self self, std::span<char> buffer) = 0;
  // Writes at least one byte of the pieces, which must stay until on_write(). At most 64 pieces are looked at.
  virtual void write(Self self, std::span<const std::string_view> pieces) = 0;
  // Tells the client that nothing more comes, then on_sending_closed(). Reads afterwards only drain what is in flight:
  // what they return is not part of any request.
  virtual void close_sending(Self self) = 0;
  // Ends everything; running operations report a failure.
  virtual void close() = 0;

  // From any thread: calls on_wake() on the loop's thread.
  virtual void wake(Self self) = 0;
};

// Both take over the connected socket's descriptor; null when TLS has no memory for another connection.
std::unique_ptr<Transport> make_plain_transport(IoLoop& loop, int descriptor);
std::unique_ptr<Transport> make_tls_transport(IoLoop& loop, int descriptor, const TlsContext& context);

}  // namespace landfall::http
