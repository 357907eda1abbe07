#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/encoding.h"  // IWYU pragma: export

namespace landfall {

using Sha256Digest = std::array<std::uint8_t, 32>;

// SHA-256 over bytes that come in pieces. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // The digest of what came so far; starts over.
  Sha256Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Sha256Digest sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
Sha256Digest hmac_sha256(std::string_view key, std::string_view bytes);

// The bytes of a digest, as hex_encode() and the like take them.
inline std::string_view as_bytes(const Sha256Digest& digest) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace landfall
