#include "bucket/verified_reader.h"

#include <array>

namespace landfall::bucket {

Result<std::size_t> VerifiedReader::read(std::span<char> buffer) {
  auto got = source_.read(buffer);
  if (!got) {
    source_error_ = got.error();
    return got;
  }
  sha_.update({buffer.data(), *got});
  size_ += *got;
  on_bytes_(*got);
  return got;
}

Digest VerifiedReader::finish() { return {.sha256 = hex_encode(as_bytes(sha_.finish())), .size = size_}; }

Status drain(io::Reader& reader) {
  std::array<char, 64UL * 1024> buffer{};
  while (true) {
    TRY_ASSIGN(const std::size_t got, "", reader.read(buffer));
    if (got == 0) return {};
  }
}

}  // namespace landfall::bucket
