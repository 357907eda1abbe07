#include "testkit/test_certificates.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/freed_by.h"

namespace landfall::testkit {
namespace {

using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;

void check(bool worked, const char* step) {
  if (!worked) {
    std::array<char, 256> reason{};
    ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
    throw std::runtime_error(std::string("make a test certificate: ") + step + ": " + reason.data());
  }
}

template <class Write>
std::string pem(const Write& write) {
  const Bio bio(BIO_new(BIO_s_mem()));
  check(bio != nullptr && write(bio.get()) == 1, "write PEM");
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem(X509* certificate) {
  return pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string pem(EVP_PKEY* key) {
  return pem([&](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

// Elliptic-curve keys are made in microseconds; RSA would cost each test a tenth of a second.
Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  check(key != nullptr, "make a key");
  return key;
}

void add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, value.c_str());
}

void add_name(X509_NAME* name, const char* field, const std::string& value) {
  check(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                   // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): OpenSSL's bytes
                                   reinterpret_cast<const unsigned char*>(value.c_str()), -1, -1, 0) == 1,
        field);
}

void set_serial(X509* certificate) {
  std::uint64_t serial = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the bytes of a number
  check(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "draw a serial number");
  check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1U) == 1, "set the serial number");
}

Certificate begin(const CertificateSpec& spec, EVP_PKEY* key) {
  Certificate certificate(X509_new());
  X509* raw = certificate.get();
  check(raw != nullptr && X509_set_version(raw, X509_VERSION_3) == 1, "begin");
  set_serial(raw);
  check(X509_gmtime_adj(X509_getm_notBefore(raw), spec.valid_from.count()) != nullptr, "set the first day");
  check(X509_gmtime_adj(X509_getm_notAfter(raw), spec.valid_until.count()) != nullptr, "set the last day");
  check(X509_set_pubkey(raw, key) == 1, "set the key");
  X509_NAME* subject = X509_get_subject_name(raw);
  for (const std::string& organization : spec.organizations) {
    add_name(subject, "O", organization);
  }
  add_name(subject, "CN", spec.common_name);
  return certificate;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return ::inet_pton(AF_INET, name.c_str(), parsed.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), parsed.data()) == 1;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  if (!out) {
    throw std::runtime_error("write " + path.string());
  }
}

}  // namespace

struct TestCertificates::Authority {
  Key key;
  Certificate certificate;
};

TestCertificates::TestCertificates() : authority_(std::make_unique<Authority>()) {
  Key key = make_key();
  Certificate certificate = begin({.common_name = "landfall test authority"}, key.get());
  X509* raw = certificate.get();
  check(X509_set_issuer_name(raw, X509_get_subject_name(raw)) == 1, "set the issuer");
  add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(raw, raw, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(raw, raw, NID_subject_key_identifier, "hash");
  check(X509_sign(raw, key.get(), EVP_sha256()) > 0, "sign");
  ca_ = pem(raw);
  *authority_ = {.key = std::move(key), .certificate = std::move(certificate)};
}

TestCertificates::~TestCertificates() = default;

CertificateAndKey TestCertificates::issue(const CertificateSpec& spec) const {
  const Key key = make_key();
  const Certificate certificate = begin(spec, key.get());
  X509* raw = certificate.get();
  X509* issuer = authority_->certificate.get();
  check(X509_set_issuer_name(raw, X509_get_subject_name(issuer)) == 1, "set the issuer");
  add_extension(raw, issuer, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(raw, issuer, NID_key_usage, "critical,digitalSignature");
  add_extension(raw, issuer, NID_ext_key_usage, spec.for_client ? "clientAuth" : "serverAuth");
  add_extension(raw, issuer, NID_authority_key_identifier, "keyid");
  std::string names;
  for (const std::string& name : spec.names) {
    names += (names.empty() ? "" : ",") + std::string(is_address(name) ? "IP:" : "DNS:") + name;
  }
  if (!names.empty()) {
    add_extension(raw, issuer, NID_subject_alt_name, names);
  }
  check(X509_sign(raw, authority_->key.get(), EVP_sha256()) > 0, "sign");
  return {.certificate = pem(raw), .key = pem(key.get())};
}

CertificateAndKey TestCertificates::server(std::vector<std::string> names) const {
  return issue({.common_name = "landfall test server", .names = std::move(names)});
}

CertificateAndKey TestCertificates::expired_server(std::vector<std::string> names) const {
  return issue({.common_name = "landfall test server",
                .names = std::move(names),
                .valid_from = -std::chrono::hours(48),
                .valid_until = -std::chrono::hours(24)});
}

CertificateAndKey TestCertificates::client(std::string common_name, std::vector<std::string> organizations) const {
  return issue({.common_name = std::move(common_name), .organizations = std::move(organizations), .for_client = true});
}

void TestCertificates::write_to(const std::filesystem::path& directory) const {
  write_file(directory / "ca.crt", ca_);
  const std::pair<const char*, CertificateAndKey> made[] = {
      {"server", server()}, {"client", client("landfall test client")}, {"expired", expired_server()}};
  for (const auto& [name, pair] : made) {
    write_file(directory / (std::string(name) + ".crt"), pair.certificate);
    write_file(directory / (std::string(name) + ".key"), pair.key);
  }
}

}  // namespace landfall::testkit
