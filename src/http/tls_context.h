#pragma once

#include <memory>

#include "base/result.h"
#include "http/request.h"
#include "http/server_options.h"

// NOLINTBEGIN(readability-identifier-naming): OpenSSL's own names.
struct ssl_ctx_st;
struct ssl_st;
// NOLINTEND(readability-identifier-naming)

namespace landfall::http {

// Internal to the module. What all TLS connections of a server share: certificate, key, client CA, protocol settings
// (TLS 1.2 and up, http/1.1 by ALPN, no renegotiation, no session resumption). Thread-safe once made.
class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> make(const TlsOptions& options);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  ssl_ctx_st* native() const { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  Status use_certificate(const TlsOptions& options);
  Status use_client_ca(const TlsOptions& options);

  ssl_ctx_st* context_;
};

// Who the peer of a finished handshake is; null when it showed no certificate.
std::shared_ptr<const ClientIdentity> client_identity(const ssl_st* connection);

}  // namespace landfall::http
