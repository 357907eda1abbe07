#include "sandbox/certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include "base/freed_by.h"

namespace landfall::sandbox {
namespace {

using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;

constexpr const char* kNames =
    "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,"
    "DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:::1,IP:10.96.0.1";

Status check(bool worked, const std::string& step) {
  if (worked) return {};
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  return fail(Code::kInternal, "make a certificate: " + step + ": " + reason.data());
}

template <class Write>
Result<std::string> to_pem(const Write& write) {
  const Bio bio(BIO_new(BIO_s_mem()));
  TRY("", check(bio != nullptr && write(bio.get()) == 1, "write PEM"));
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Status add_extension(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  return check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, value);
}

// Everything but extensions and the signature.
Result<Certificate> begin(const char* name, EVP_PKEY* key, const Clock& clock, Random& random) {
  Certificate certificate(X509_new());
  X509* raw = certificate.get();
  TRY("", check(raw != nullptr && X509_set_version(raw, X509_VERSION_3) == 1, "begin"));
  TRY("",
      check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(raw), random.bits() >> 1U) == 1, "set the serial number"));
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock.wall_now().time_since_epoch()).count();
  constexpr long kHour = 3600;
  TRY("", check(ASN1_TIME_set(X509_getm_notBefore(raw), now - kHour) != nullptr, "set the first day"));
  TRY("", check(ASN1_TIME_set(X509_getm_notAfter(raw), now + 365 * 24 * kHour) != nullptr, "set the last day"));
  TRY("", check(X509_set_pubkey(raw, key) == 1, "set the key"));
  TRY("",
      check(X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_UTF8,
                                       // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): OpenSSL's bytes
                                       reinterpret_cast<const unsigned char*>(name), -1, -1, 0) == 1,
            "set the name"));
  return certificate;
}

Result<Key> make_key() {
  Key key(EVP_EC_gen("P-256"));
  TRY("", check(key != nullptr, "make a key"));
  return key;
}

}  // namespace

Result<ServerCertificate> make_server_certificate(const Clock& clock, Random& random) {
  TRY_ASSIGN(const Key ca_key, "", make_key());
  TRY_ASSIGN(const Certificate ca, "", begin("landfall sandbox authority", ca_key.get(), clock, random));
  TRY("", check(X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) == 1, "set the issuer"));
  TRY("", add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE"));
  TRY("", add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature"));
  TRY("", add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash"));
  TRY("", check(X509_sign(ca.get(), ca_key.get(), EVP_sha256()) > 0, "sign"));

  TRY_ASSIGN(const Key key, "", make_key());
  TRY_ASSIGN(const Certificate server, "", begin("landfall sandbox", key.get(), clock, random));
  TRY("", check(X509_set_issuer_name(server.get(), X509_get_subject_name(ca.get())) == 1, "set the issuer"));
  TRY("", add_extension(server.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE"));
  TRY("", add_extension(server.get(), ca.get(), NID_key_usage, "critical,digitalSignature"));
  TRY("", add_extension(server.get(), ca.get(), NID_ext_key_usage, "serverAuth"));
  TRY("", add_extension(server.get(), ca.get(), NID_authority_key_identifier, "keyid"));
  TRY("", add_extension(server.get(), ca.get(), NID_subject_alt_name, kNames));
  TRY("", check(X509_sign(server.get(), ca_key.get(), EVP_sha256()) > 0, "sign"));

  ServerCertificate out;
  TRY_ASSIGN(out.ca, "", to_pem([&](BIO* bio) { return PEM_write_bio_X509(bio, ca.get()); }));
  TRY_ASSIGN(out.certificate, "", to_pem([&](BIO* bio) { return PEM_write_bio_X509(bio, server.get()); }));
  TRY_ASSIGN(out.key, "", to_pem([&](BIO* bio) {
               return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
             }));
  return out;
}

}  // namespace landfall::sandbox
