#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace landfall::testkit {

// A certificate and its private key, as PEM.
struct CertificateAndKey {
  std::string certificate;
  std::string key;
};

// What to put into a certificate. Times are relative to now.
struct CertificateSpec {
  std::string common_name = "landfall test";
  std::vector<std::string> organizations;  // Kubernetes reads a user's groups from them
  std::vector<std::string> names;          // subject alternative names: host names and IP addresses
  bool for_client = false;                 // a client's certificate, otherwise a server's
  std::chrono::seconds valid_from{-std::chrono::hours(1)};
  std::chrono::seconds valid_until{std::chrono::hours(24)};
};

// A certificate authority made in memory, and certificates signed by it. Two instances do not trust each other.
// Thread-safe once made.
class TestCertificates {
 public:
  TestCertificates();
  ~TestCertificates();
  TestCertificates(const TestCertificates&) = delete;
  TestCertificates& operator=(const TestCertificates&) = delete;

  // The authority's own certificate, as PEM.
  const std::string& ca() const { return ca_; }

  CertificateAndKey issue(const CertificateSpec& spec) const;

  // Shorthands. The default names are those by which a ScriptedServer is reached.
  CertificateAndKey server(std::vector<std::string> names = {"localhost", "127.0.0.1"}) const;
  CertificateAndKey expired_server(std::vector<std::string> names = {"localhost", "127.0.0.1"}) const;
  CertificateAndKey client(std::string common_name, std::vector<std::string> organizations = {}) const;

  // Writes ca.crt, server.crt, server.key, client.crt, client.key, expired.crt and expired.key.
  void write_to(const std::filesystem::path& directory) const;

 private:
  struct Authority;
  std::unique_ptr<Authority> authority_;
  std::string ca_;
};

}  // namespace landfall::testkit
