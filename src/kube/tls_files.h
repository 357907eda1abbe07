#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "io/http_client.h"
#include "kube/config.h"
#include "kube/credential_file.h"

namespace landfall::kube {

// A certificate and its key as PEM, and what to call them in messages.
struct ClientCertificate {
  const std::string& certificate;
  const std::string& key;
  std::string certificate_name;
  std::string key_name;
};

// When the certificate expires. kInvalid when it or the key cannot be used, or they do not belong together.
Result<WallTime> check_client_certificate(const ClientCertificate& client);

// The authorities, the client certificate and its key of a configuration, from its data or from files that are read
// again when they change. Not thread-safe; the configuration must outlive it.
class TlsFiles {
 public:
  explicit TlsFiles(const Config& config);

  // Reads what is new (see CredentialFile) and checks all of it. When that fails the last good options stay: of two
  // files that are being replaced one is always first. An expired client certificate is not an error here.
  Status refresh(SteadyTime now, bool anyway);

  const io::HttpTlsOptions& options() const { return options_; }
  // Counts how often the options have changed.
  int version() const { return version_; }
  bool has_files() const { return authorities_.is_file() || has_client_files(); }
  bool has_client_files() const { return certificate_.is_file() || key_.is_file(); }

  // When the client certificate expires, if there is one, and the error to give from then on.
  WallTime expires() const { return expires_; }
  Error expired_error() const;

 private:
  CredentialFile authorities_;
  CredentialFile certificate_;
  CredentialFile key_;
  io::HttpTlsOptions options_;
  int version_ = 0;
  WallTime expires_ = WallTime::max();
};

}  // namespace landfall::kube
