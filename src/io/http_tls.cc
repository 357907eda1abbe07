#include "io/http_tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <ctime>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/freed_by.h"
#include "base/strings.h"
#include "io/file.h"
#include "io/http_client.h"

namespace landfall::io {
namespace {

using Bio = std::unique_ptr<BIO, FreedBy<BIO_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Store = std::unique_ptr<X509_STORE, FreedBy<X509_STORE_free>>;

// Far above any bundle of authorities.
constexpr std::size_t kMaxPem = 16UL * 1024 * 1024;

// Where Linux distributions keep their bundle: Debian, Fedora, SUSE, Alpine.
constexpr const char* kSystemBundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

// Without it OpenSSL asks on the terminal for the passphrase of an encrypted key.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

Result<Bio> open_pem(std::string_view pem) {
  if (pem.size() > kMaxPem) {
    return fail(Code::kTooLarge, "more than 16 MiB");
  }
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (bio == nullptr) {
    return fail(Code::kInternal, "out of memory");
  }
  return bio;
}

Result<std::vector<Certificate>> parse_certificates(std::string_view pem) {
  TRY_ASSIGN(const Bio bio, "", open_pem(pem));
  std::vector<Certificate> certificates;
  ERR_clear_error();
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(certificate);
    // Makes OpenSSL take it apart here, and not when the connections of several threads first look at it.
    X509_check_purpose(certificate, -1, 0);
  }
  // The end of the text looks to the reader like a missing first line.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) {
    return fail(Code::kInvalid,
                "certificate " + std::to_string(certificates.size() + 1) + " of the PEM text is damaged");
  }
  if (certificates.empty()) {
    return fail(Code::kInvalid, "there is no PEM certificate in it");
  }
  return certificates;
}

Result<Key> parse_key(std::string_view pem) {
  TRY_ASSIGN(const Bio bio, "", open_pem(pem));
  bool was_asked = false;
  ERR_clear_error();
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &was_asked));
  ERR_clear_error();
  if (key == nullptr) {
    return fail(Code::kInvalid, was_asked ? "it is encrypted with a passphrase; give it without one"
                                          : "there is no usable PEM private key in it");
  }
  return key;
}

// An empty text when the system has no bundle at all.
Result<std::string> read_system_authorities(const Environment& environment) {
  const std::string chosen = environment.get_or("SSL_CERT_FILE", "");
  if (!chosen.empty()) {
    TRY_ASSIGN(std::string pem, "environment variable SSL_CERT_FILE", read_file(chosen, kMaxPem));
    return pem;
  }
  for (const char* path : kSystemBundles) {
    if (Result<std::string> pem = read_file(path, kMaxPem)) {
      return pem;
    }
  }
  return std::string();
}

Status add_authorities(X509_STORE* store, std::string_view pem) {
  TRY_ASSIGN(const std::vector<Certificate> certificates, "", parse_certificates(pem));
  for (const Certificate& certificate : certificates) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) {
      ERR_clear_error();
      return fail(Code::kInvalid, "OpenSSL refuses a certificate");
    }
  }
  return {};
}

}  // namespace

struct HttpTlsMaterial::Impl {
  Status load_authorities(const HttpTlsOptions& options, const Environment& the_environment);
  Status load_system_authorities();
  Status load_client(const HttpTlsOptions& options);

  Store authorities;  // null: the server is not verified
  std::atomic<bool> has_authorities = true;
  std::vector<Certificate> client;  // its own, then the chain
  Key key;

  bool wants_system = false;
  std::once_flag system_once;
  Status system;  // what came of reading the system's authorities
  Environment environment;
};

Status HttpTlsMaterial::Impl::load_authorities(const HttpTlsOptions& options, const Environment& the_environment) {
  if (options.skip_verification) {
    return {};
  }
  authorities.reset(X509_STORE_new());
  if (authorities == nullptr) {
    return fail(Code::kInternal, "out of memory");
  }
  // As in Go's programs an intermediate authority is trusted by itself when it is given as one.
  X509_STORE_set_flags(authorities.get(), X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
  if (!options.ca_pem.empty()) {
    TRY("tls: authorities", add_authorities(authorities.get(), options.ca_pem));
  }
  if (!options.ca_file.empty()) {
    TRY_ASSIGN(const std::string pem, "tls: authorities", read_file(options.ca_file, kMaxPem));
    TRY("tls: authorities of " + quote(options.ca_file), add_authorities(authorities.get(), pem));
  }
  wants_system = options.ca_pem.empty() && options.ca_file.empty();
  environment = the_environment;
  return {};
}

Status HttpTlsMaterial::Impl::load_system_authorities() {
  TRY_ASSIGN(const std::string pem, "tls: authorities", read_system_authorities(environment));
  has_authorities = !pem.empty();
  if (!pem.empty()) {
    TRY("tls: the system's authorities", add_authorities(authorities.get(), pem));
  }
  return {};
}

Status HttpTlsMaterial::Impl::load_client(const HttpTlsOptions& options) {
  if (options.client_certificate_pem.empty() && options.client_key_pem.empty()) {
    return {};
  }
  if (options.client_certificate_pem.empty() || options.client_key_pem.empty()) {
    return fail(Code::kInvalid, "tls: a client certificate and its key go together; one of them is missing");
  }
  TRY_ASSIGN(client, "tls: client certificate", parse_certificates(options.client_certificate_pem));
  TRY_ASSIGN(key, "tls: client key", parse_key(options.client_key_pem));
  if (X509_check_private_key(client.front().get(), key.get()) != 1) {
    ERR_clear_error();
    return fail(Code::kInvalid, "tls: the client key does not belong to the client certificate");
  }
  return {};
}

HttpTlsMaterial::HttpTlsMaterial(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpTlsMaterial::~HttpTlsMaterial() = default;

Result<std::unique_ptr<HttpTlsMaterial>> HttpTlsMaterial::load(const HttpTlsOptions& options,
                                                               const Environment& environment) {
  auto impl = std::make_unique<Impl>();
  TRY("", impl->load_authorities(options, environment));
  TRY("", impl->load_client(options));
  return std::unique_ptr<HttpTlsMaterial>(
      new HttpTlsMaterial(std::move(impl)));  // allow-call: the constructor is private, make_unique cannot
}

Status HttpTlsMaterial::apply(void* ssl_context) {
  if (impl_->wants_system) {
    std::call_once(impl_->system_once, [&] { impl_->system = impl_->load_system_authorities(); });
    TRY("", impl_->system);
  }
  auto* context = static_cast<SSL_CTX*>(ssl_context);
  // libcurl would write the session keys to the file that SSLKEYLOGFILE names; we do not read the environment.
  SSL_CTX_set_keylog_callback(context, nullptr);
  // What a tunnel could not send at once lies in a buffer that may have grown, and moved, when it is tried again.
  SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Not the context's own store: libcurl fills that one later, and a build of it may add the system's authorities.
  bool worked = impl_->authorities == nullptr || SSL_CTX_set1_verify_cert_store(context, impl_->authorities.get()) == 1;
  if (!impl_->client.empty()) {
    worked = worked && SSL_CTX_use_certificate(context, impl_->client.front().get()) == 1 &&
             SSL_CTX_use_PrivateKey(context, impl_->key.get()) == 1;
    for (const Certificate& certificate : std::span(impl_->client).subspan(1)) {
      worked = worked && SSL_CTX_add1_chain_cert(context, certificate.get()) == 1;
    }
  }
  if (!worked) {
    ERR_clear_error();
    return fail(Code::kInvalid, "tls: OpenSSL does not take the certificates; are they too weak?");
  }
  return {};
}

bool HttpTlsMaterial::has_authorities() const { return impl_->has_authorities; }

Result<WallTime> certificate_expiry(std::string_view pem) {
  TRY_ASSIGN(const std::vector<Certificate> certificates, "certificate", parse_certificates(pem));
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificates.front().get()), &end) != 1) {
    return fail(Code::kInvalid, "certificate: its last day is not a date");
  }
  const std::chrono::year_month_day day{std::chrono::year{end.tm_year + 1900},
                                        std::chrono::month{static_cast<unsigned>(end.tm_mon) + 1},
                                        std::chrono::day{static_cast<unsigned>(end.tm_mday)}};
  // WallTime ends in the year 2262; "no expiry" is written as the year 9999.
  if (day.year() >= std::chrono::year{2262}) {
    return WallTime::max();
  }
  return std::chrono::sys_days{day} + std::chrono::hours{end.tm_hour} + std::chrono::minutes{end.tm_min} +
         std::chrono::seconds{end.tm_sec};
}

}  // namespace landfall::io
