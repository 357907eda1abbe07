#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// The checksums that S3 keeps with an object, and the MD5 that older operations want.

namespace landfall::s3 {

enum class ChecksumAlgorithm { kNone, kCrc32, kCrc32c, kSha1, kSha256 };

// "CRC32", as in x-amz-checksum-algorithm, "x-amz-checksum-crc32" and "ChecksumCRC32", as in XML; "" for kNone.
std::string_view name_of(ChecksumAlgorithm algorithm);
std::string_view header_of(ChecksumAlgorithm algorithm);
std::string_view element_of(ChecksumAlgorithm algorithm);
std::optional<ChecksumAlgorithm> algorithm_named(std::string_view name);

// Over bytes that come in pieces. Not thread-safe.
class Checksum {
 public:
  explicit Checksum(ChecksumAlgorithm algorithm);
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;

  void update(std::string_view bytes);
  // As in the header: base64. Ends it.
  std::string finish();

 private:
  struct Hash;
  ChecksumAlgorithm algorithm_;
  std::uint32_t crc_ = 0;
  std::unique_ptr<Hash> hash_;
};

std::string checksum(ChecksumAlgorithm algorithm, std::string_view bytes);
// Base64, as in Content-MD5.
std::string md5_base64(std::string_view bytes);

}  // namespace landfall::s3
