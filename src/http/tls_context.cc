#include "http/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <string>
#include <string_view>

#include "base/freed_by.h"

namespace landfall::http {
namespace {

using Bio = std::unique_ptr<BIO, FreedBy<&BIO_free_all>>;
using Certificate = std::unique_ptr<X509, FreedBy<&X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<&EVP_PKEY_free>>;

tl::unexpected<Error> fail_tls(std::string_view what) {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return fail(Code::kInvalid, std::string(what));
  ERR_error_string_n(code, text.data(), text.size());
  return fail(Code::kInvalid, fmt::format("{}: {}", what, text.data()));
}

Bio open_pem(const std::string& pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

// An encrypted key must not make the server ask for a passphrase on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return 0; }

// We speak HTTP/1.1; a client that insists on something else goes on without ALPN, as Go's server has it.
int choose_protocol(SSL* /*connection*/, const unsigned char** chosen, unsigned char* chosen_length,
                    const unsigned char* offered, unsigned int offered_length, void* /*context*/) {
  static constexpr std::string_view kOurs = "\x08http/1.1";
  unsigned char* match = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kOurs.data());
  if (SSL_select_next_proto(&match, chosen_length, ours, static_cast<unsigned int>(kOurs.size()), offered,
                            offered_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

std::vector<std::string> name_entries(const X509* certificate, int nid) {
  std::vector<std::string> values;
  const X509_NAME* name = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0; at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* utf8 = nullptr;
    const int length = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (length < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length));
    OPENSSL_free(utf8);
  }
  return values;
}

std::string fingerprint(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &length) != 1) return {};
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + length, ""));
}

}  // namespace

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

Result<std::unique_ptr<TlsContext>> TlsContext::make(const TlsOptions& options) {
  ERR_clear_error();
  SSL_CTX* native = SSL_CTX_new(TLS_server_method());
  if (native == nullptr) return fail_tls("TLS is not available");
  std::unique_ptr<TlsContext> context(new TlsContext(native));  // allow-call: a private constructor, owned at once
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // No tickets and no cache: a resumed session would have to carry the client's identity, and our clients keep their
  // connections.
  SSL_CTX_set_options(
      native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(native,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_default_passwd_cb(native, &no_passphrase);
  SSL_CTX_set_alpn_select_cb(native, &choose_protocol, nullptr);
  TRY("", context->use_certificate(options));
  TRY("", context->use_client_ca(options));
  return context;
}

Status TlsContext::use_certificate(const TlsOptions& options) {
  const Bio chain = open_pem(options.certificate_pem);
  const Certificate own(PEM_read_bio_X509_AUX(chain.get(), nullptr, &no_passphrase, nullptr));
  if (!own) return fail_tls("the server's certificate is not PEM");
  if (SSL_CTX_use_certificate(context_, own.get()) != 1) return fail_tls("the server's certificate cannot be used");
  while (true) {
    const Certificate next(PEM_read_bio_X509(chain.get(), nullptr, &no_passphrase, nullptr));
    if (!next) break;
    if (SSL_CTX_add1_chain_cert(context_, next.get()) != 1)
      return fail_tls("an intermediate certificate cannot be used");
  }
  ERR_clear_error();  // how the end of a PEM file is told
  const Bio key_text = open_pem(options.key_pem);
  const Key key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, &no_passphrase, nullptr));
  if (!key) return fail_tls("the server's key is not PEM, or encrypted");
  if (SSL_CTX_use_PrivateKey(context_, key.get()) != 1 || SSL_CTX_check_private_key(context_) != 1) {
    return fail_tls("the server's key does not fit its certificate");
  }
  return {};
}

Status TlsContext::use_client_ca(const TlsOptions& options) {
  if (options.client_certificates == ClientCertificates::kIgnored) return {};
  const Bio text = open_pem(options.client_ca_pem);
  int count = 0;
  while (true) {
    const Certificate ca(PEM_read_bio_X509(text.get(), nullptr, &no_passphrase, nullptr));
    if (!ca) break;
    // The names tell a client which of its certificates to show.
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), ca.get()) != 1 ||
        SSL_CTX_add_client_CA(context_, ca.get()) != 1) {
      return fail_tls("a client CA cannot be used");
    }
    ++count;
  }
  if (count == 0) return fail_tls("the client CA has no certificate in PEM");
  ERR_clear_error();
  const bool required = options.client_certificates == ClientCertificates::kRequired;
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  return {};
}

std::shared_ptr<const ClientIdentity> client_identity(const ssl_st* connection) {
  const X509* certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return nullptr;
  auto identity = std::make_shared<ClientIdentity>();
  if (std::vector<std::string> names = name_entries(certificate, NID_commonName); !names.empty()) {
    identity->common_name = std::move(names.front());
  }
  identity->organizations = name_entries(certificate, NID_organizationName);
  identity->fingerprint = fingerprint(certificate);
  return identity;
}

}  // namespace landfall::http
