#include "kube/tls_files.h"

#include "base/rfc3339.h"
#include "io/http_tls.h"

namespace landfall::kube {

Result<WallTime> check_client_certificate(const ClientCertificate& client) {
  TRY_ASSIGN(const WallTime expires, client.certificate_name, io::certificate_expiry(client.certificate));
  // The certificate is good, so that what is wrong now is the key. Authorities are not looked at here.
  TRY(client.key_name,
      io::HttpTlsMaterial::load(
          {.client_certificate_pem = client.certificate, .client_key_pem = client.key, .skip_verification = true}, {}));
  return expires;
}

TlsFiles::TlsFiles(const Config& config)
    : authorities_(config.certificate_authority, "certificate-authority"),
      certificate_(config.client_certificate, "client-certificate"),
      key_(config.client_key, "client-key") {
  options_.server_name = config.tls_server_name;
  options_.skip_verification = config.insecure_skip_tls_verify;
}

Status TlsFiles::refresh(SteadyTime now, bool anyway) {
  TRY("", authorities_.refresh(now, anyway));
  TRY("", certificate_.refresh(now, anyway));
  TRY("", key_.refresh(now, anyway));
  const bool same = authorities_.bytes() == options_.ca_pem &&
                    certificate_.bytes() == options_.client_certificate_pem && key_.bytes() == options_.client_key_pem;
  if (same) {
    return {};
  }
  if (!authorities_.bytes().empty()) {
    TRY(authorities_.name(), io::certificate_expiry(authorities_.bytes()));
  }
  WallTime expires = WallTime::max();
  if (!certificate_.bytes().empty()) {
    TRY_ASSIGN(expires, "",
               check_client_certificate({.certificate = certificate_.bytes(),
                                         .key = key_.bytes(),
                                         .certificate_name = certificate_.name(),
                                         .key_name = key_.name()}));
  }
  options_.ca_pem = authorities_.bytes();
  options_.client_certificate_pem = certificate_.bytes();
  options_.client_key_pem = certificate_.bytes().empty() ? std::string() : key_.bytes();
  expires_ = expires;
  ++version_;
  return {};
}

Error TlsFiles::expired_error() const {
  return {Code::kUnauthenticated,
          certificate_.name() + ": the certificate expired on " + format_rfc3339(expires_) + ", get a new one"};
}

}  // namespace landfall::kube
