#include "s3/checksum.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <cstddef>
#include <new>

#include "base/encoding.h"
#include "base/freed_by.h"

namespace landfall::s3 {
namespace {

struct Names {
  ChecksumAlgorithm algorithm;
  std::string_view name;
  std::string_view header;
  std::string_view element;
};

constexpr std::array kNames{
    Names{ChecksumAlgorithm::kCrc32, "CRC32", "x-amz-checksum-crc32", "ChecksumCRC32"},
    Names{ChecksumAlgorithm::kCrc32c, "CRC32C", "x-amz-checksum-crc32c", "ChecksumCRC32C"},
    Names{ChecksumAlgorithm::kSha1, "SHA1", "x-amz-checksum-sha1", "ChecksumSHA1"},
    Names{ChecksumAlgorithm::kSha256, "SHA256", "x-amz-checksum-sha256", "ChecksumSHA256"},
};

Names names_of(ChecksumAlgorithm algorithm) {
  for (const Names& names : kNames) {
    if (names.algorithm == algorithm) {
      return names;
    }
  }
  return {};
}

const std::uint8_t* data_of(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// Castagnoli's polynomial, reflected. Eight tables make it a step of eight bytes.
using Crc32cTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Crc32cTables make_crc32c_tables() {
  Crc32cTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    }
    tables[0][byte] = crc;
  }
  for (std::size_t table = 1; table < 8; ++table) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[table - 1][byte];
      tables[table][byte] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr Crc32cTables kCrc32c = make_crc32c_tables();

std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) {
  crc = ~crc;
  const std::uint8_t* at = data_of(bytes);
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    crc = kCrc32c[7][(crc ^ at[0]) & 0xFFU] ^ kCrc32c[6][((crc >> 8U) ^ at[1]) & 0xFFU] ^
          kCrc32c[5][((crc >> 16U) ^ at[2]) & 0xFFU] ^ kCrc32c[4][(crc >> 24U) ^ at[3]] ^ kCrc32c[3][at[4]] ^
          kCrc32c[2][at[5]] ^ kCrc32c[1][at[6]] ^ kCrc32c[0][at[7]];
  }
  for (; left > 0; --left, ++at) {
    crc = (crc >> 8U) ^ kCrc32c[0][(crc ^ *at) & 0xFFU];
  }
  return ~crc;
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes += static_cast<char>((value >> shift) & 0xFFU);
  }
  return bytes;
}

// OpenSSL fails here only when it cannot allocate.
void require(bool done) {
  if (!done) {
    throw std::bad_alloc();
  }
}

}  // namespace

struct Checksum::Hash {
  explicit Hash(const EVP_MD* kind) {
    require(evp != nullptr);
    require(EVP_DigestInit_ex(evp.get(), kind, nullptr) == 1);
  }
  std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>> evp{EVP_MD_CTX_new()};
};

std::string_view name_of(ChecksumAlgorithm algorithm) { return names_of(algorithm).name; }
std::string_view header_of(ChecksumAlgorithm algorithm) { return names_of(algorithm).header; }
std::string_view element_of(ChecksumAlgorithm algorithm) { return names_of(algorithm).element; }

std::optional<ChecksumAlgorithm> algorithm_named(std::string_view name) {
  for (const Names& names : kNames) {
    if (names.name == name) {
      return names.algorithm;
    }
  }
  return std::nullopt;
}

Checksum::Checksum(ChecksumAlgorithm algorithm) : algorithm_(algorithm) {
  if (algorithm == ChecksumAlgorithm::kSha1) {
    hash_ = std::make_unique<Hash>(EVP_sha1());
  } else if (algorithm == ChecksumAlgorithm::kSha256) {
    hash_ = std::make_unique<Hash>(EVP_sha256());
  }
}
Checksum::~Checksum() = default;

void Checksum::update(std::string_view bytes) {
  if (hash_) {
    require(EVP_DigestUpdate(hash_->evp.get(), bytes.data(), bytes.size()) == 1);
  } else if (algorithm_ == ChecksumAlgorithm::kCrc32) {
    crc_ = static_cast<std::uint32_t>(::crc32_z(crc_, data_of(bytes), bytes.size()));
  } else if (algorithm_ == ChecksumAlgorithm::kCrc32c) {
    crc_ = crc32c(crc_, bytes);
  }
}

std::string Checksum::finish() {
  if (!hash_) {
    return algorithm_ == ChecksumAlgorithm::kNone ? "" : base64_encode(big_endian(crc_));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(hash_->evp.get(), digest.data(), &size) == 1);
  return base64_encode(std::string(digest.begin(), digest.begin() + size));
}

std::string checksum(ChecksumAlgorithm algorithm, std::string_view bytes) {
  Checksum sum(algorithm);
  sum.update(bytes);
  return sum.finish();
}

std::string md5_base64(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::size_t size = 0;
  require(EVP_Q_digest(nullptr, "MD5", nullptr, bytes.data(), bytes.size(), digest.data(), &size) == 1);
  return base64_encode(std::string(digest.begin(), digest.begin() + static_cast<std::ptrdiff_t>(size)));
}

}  // namespace landfall::s3
