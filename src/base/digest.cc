#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <new>

namespace landfall {
namespace {

// OpenSSL fails here only when it cannot allocate.
void require(bool done) {
  if (!done) {
    throw std::bad_alloc();
  }
}

const std::uint8_t* data_of(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

struct Free {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(context_->evp != nullptr);
  require(EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size()) == 1);
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest{};
  require(EVP_DigestFinal_ex(context_->evp.get(), digest.data(), nullptr) == 1);
  require(EVP_DigestInit_ex(context_->evp.get(), nullptr, nullptr) == 1);
  return digest;
}

Sha256Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string sha256_hex(std::string_view bytes) { return hex_encode(as_bytes(sha256(bytes))); }

Sha256Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  Sha256Digest digest{};
  std::size_t size = 0;
  require(EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.empty() ? "" : key.data(), key.size(),
                    data_of(bytes), bytes.size(), digest.data(), digest.size(), &size) != nullptr);
  return digest;
}

}  // namespace landfall
