#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/digest.h"
#include "bucket/checksums.h"
#include "io/stream.h"

namespace landfall::bucket {

// Computes the digest of what passes through, and counts it. Not thread-safe.
class VerifiedReader final : public io::Reader {
 public:
  using OnBytes = std::function<void(std::uint64_t count)>;
  VerifiedReader(io::Reader& source, OnBytes on_bytes) : source_(source), on_bytes_(std::move(on_bytes)) {}

  Result<std::size_t> read(std::span<char> buffer) override;
  // Of all that was read.
  Digest finish();
  // What the source failed with, if it did: then the store is to blame, not the bytes.
  const std::optional<Error>& source_error() const { return source_error_; }

 private:
  io::Reader& source_;
  OnBytes on_bytes_;
  Sha256 sha_;
  std::uint64_t size_ = 0;
  std::optional<Error> source_error_;
};

// Reads on to the end.
Status drain(io::Reader& reader);

}  // namespace landfall::bucket
