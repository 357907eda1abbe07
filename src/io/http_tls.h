#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"

namespace landfall::io {

struct HttpTlsOptions;

// Certificates and keys, read once and then shared by all connections of a client. Part of HttpClient. Thread-safe.
class HttpTlsMaterial {
 public:
  // Errors name the option: "tls: client key: …". The system's authorities, a hundred or two, are read with the first
  // connection that needs them.
  static Result<std::unique_ptr<HttpTlsMaterial>> load(const HttpTlsOptions& options, const Environment& environment);
  ~HttpTlsMaterial();
  HttpTlsMaterial(const HttpTlsMaterial&) = delete;
  HttpTlsMaterial& operator=(const HttpTlsMaterial&) = delete;

  // Puts them into OpenSSL's SSL_CTX for a new connection.
  Status apply(void* ssl_context);
  // False when this system has no authorities and none were given: no server can be trusted then.
  bool has_authorities() const;

 private:
  struct Impl;
  explicit HttpTlsMaterial(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// When the first certificate of a PEM text expires. kInvalid when there is none.
Result<WallTime> certificate_expiry(std::string_view pem);

}  // namespace landfall::io
