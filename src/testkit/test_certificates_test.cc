#include "testkit/test_certificates.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "testkit/temp_dir.h"

namespace landfall::testkit {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate parse(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return {certificate, X509_free};
}

// X509_V_OK, or why the certificate is not trusted for that purpose.
int verify(const std::string& ca, const std::string& certificate, int purpose) {
  const Certificate root = parse(ca);
  const Certificate leaf = parse(certificate);
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, root.get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context, purpose);
  const int result = X509_verify_cert(context) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return result;
}

TEST(TestCertificates, SignsAServerCertificateForItsNames) {
  const TestCertificates certificates;
  const CertificateAndKey server = certificates.server({"api.test", "127.0.0.1"});

  EXPECT_EQ(verify(certificates.ca(), server.certificate, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  const Certificate leaf = parse(server.certificate);
  EXPECT_EQ(X509_check_host(leaf.get(), "api.test", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "other.test", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.1", 0), 1);
}

TEST(TestCertificates, SignsAClientCertificateForClientsOnly) {
  const TestCertificates certificates;
  const CertificateAndKey client = certificates.client("admin", {"system:masters"});
  EXPECT_EQ(verify(certificates.ca(), client.certificate, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  EXPECT_EQ(verify(certificates.ca(), client.certificate, X509_PURPOSE_SSL_SERVER), X509_V_ERR_INVALID_PURPOSE);
}

TEST(TestCertificates, MakesOnesThatHaveExpired) {
  const TestCertificates certificates;
  EXPECT_EQ(verify(certificates.ca(), certificates.expired_server().certificate, X509_PURPOSE_SSL_SERVER),
            X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST(TestCertificates, DoNotTrustThoseOfAnotherAuthority) {
  const TestCertificates ours;
  const TestCertificates theirs;
  EXPECT_NE(verify(ours.ca(), theirs.server().certificate, X509_PURPOSE_SSL_SERVER), X509_V_OK);
}

TEST(TestCertificates, CanBeWrittenToADirectory) {
  const TestCertificates certificates;
  const TempDir directory;
  certificates.write_to(directory.path());
  EXPECT_EQ(directory.read("ca.crt"), certificates.ca());
  EXPECT_EQ(verify(directory.read("ca.crt"), directory.read("server.crt"), X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_NE(directory.read("client.key").find("PRIVATE KEY"), std::string::npos);
}

TEST(TempDir, IsGoneWithItsContentsEvenWithoutPermissions) {
  std::filesystem::path path;
  {
    const TempDir directory;
    path = directory.path();
    directory.write("deep/er/file", "x");
    std::filesystem::permissions(path / "deep", std::filesystem::perms::none);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace landfall::testkit
