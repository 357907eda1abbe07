#include "s3/sigv4a.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <cstddef>
#include <memory>
#include <new>

#include "base/digest.h"
#include "base/freed_by.h"

namespace landfall::s3 {
namespace {

using Number = std::unique_ptr<BIGNUM, FreedBy<BN_clear_free>>;

// OpenSSL fails here only when it cannot allocate.
void require(bool done) {
  if (!done) {
    throw std::bad_alloc();
  }
}

Number number_from(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  Number out(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), nullptr));
  require(out != nullptr);
  return out;
}

// The order of the curve less two: what is drawn must not be above it.
Number highest() {
  const std::unique_ptr<EC_GROUP, FreedBy<EC_GROUP_free>> curve(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  require(curve != nullptr);
  Number out(BN_dup(EC_GROUP_get0_order(curve.get())));
  require(out != nullptr && BN_sub_word(out.get(), 2) == 1);
  return out;
}

// Step `counter` of NIST SP 800-108 in counter mode, as AWS fills in its fields.
std::string draw(const Credentials& credentials, char counter) {
  using std::string_literals::operator""s;
  const std::string input = "\0\0\0\1AWS4-ECDSA-P256-SHA256\0"s + credentials.access_key_id + counter + "\0\0\1\0"s;
  return std::string(as_bytes(hmac_sha256("AWS4A" + credentials.secret_access_key, input)));
}

std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>> key_from(std::string_view private_key) {
  const Number scalar = number_from(private_key);
  const std::unique_ptr<OSSL_PARAM_BLD, FreedBy<OSSL_PARAM_BLD_free>> fields(OSSL_PARAM_BLD_new());
  require(fields != nullptr);
  require(OSSL_PARAM_BLD_push_utf8_string(fields.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1);
  require(OSSL_PARAM_BLD_push_BN(fields.get(), OSSL_PKEY_PARAM_PRIV_KEY, scalar.get()) == 1);
  const std::unique_ptr<OSSL_PARAM, FreedBy<OSSL_PARAM_free>> params(OSSL_PARAM_BLD_to_param(fields.get()));
  const std::unique_ptr<EVP_PKEY_CTX, FreedBy<EVP_PKEY_CTX_free>> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  require(params != nullptr && context != nullptr);
  EVP_PKEY* key = nullptr;
  require(EVP_PKEY_fromdata_init(context.get()) == 1 &&
          EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, params.get()) == 1);
  return std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>(key);
}

}  // namespace

std::string derive_private_key(const Credentials& credentials) {
  const Number limit = highest();
  // One in four billion draws is too high; that all of them are does not happen.
  for (int counter = 1; counter < 255; ++counter) {
    const Number drawn = number_from(draw(credentials, static_cast<char>(counter)));
    if (BN_cmp(drawn.get(), limit.get()) <= 0) {
      std::string out(32, '\0');
      require(BN_add_word(drawn.get(), 1) == 1);
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
      require(BN_bn2binpad(drawn.get(), reinterpret_cast<unsigned char*>(out.data()), 32) == 32);
      return out;
    }
  }
  return std::string(31, '\0') + '\1';
}

std::string sign_ecdsa(std::string_view private_key, std::string_view text) {
  const auto key = key_from(private_key);
  const std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  require(context != nullptr && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string signature(128, '\0');
  std::size_t size = signature.size();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  require(EVP_DigestSign(context.get(), out, &size, bytes, text.size()) == 1);
  return hex_encode(std::string_view(signature).substr(0, size));
}

}  // namespace landfall::s3
