#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/stream.h"

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's

namespace landfall::io {

// What compressed bytes may ask of us; past either the reader fails with kTooLarge. Deflate itself reaches 1032:1.
struct GzipLimits {
  std::uint64_t output = std::uint64_t{1} << 36U;  // 64 GiB
  // Uncompressed by compressed; 0 means any. JSON of a cluster is about 10:1, a log that repeats one line 200:1.
  std::uint64_t ratio = 400;
  // The ratio counts from this much output on: something small may well be all blanks.
  std::uint64_t ratio_from = std::uint64_t{64} << 20U;
};

// Decompresses gzip as it streams by, all members as one, in constant memory.
//
// kDataLoss, with the offset in the compressed bytes, where the input is cut, damaged, empty or followed by anything
// that is not gzip. Checksums stand at the end of a member: what was read is only known to be whole once read() has
// returned 0. After an error every call returns it again.
class GzipReader final : public Reader {
 public:
  explicit GzipReader(Reader& source, GzipLimits limits = {});
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() override;

  Result<std::size_t> read(std::span<char> buffer) override;
  // How much of the source was used so far: for progress.
  std::uint64_t consumed() const;

 private:
  struct EndInflate {
    void operator()(z_stream_s* stream) const;
  };

  Result<std::size_t> decompress(std::span<char> buffer);
  Result<bool> begin_member();
  Status refill();
  Status check_limits() const;
  tl::unexpected<Error> failure(Code code, std::string_view what) const;

  Reader& source_;
  const GzipLimits limits_;
  std::unique_ptr<z_stream_s, EndInflate> stream_;
  std::vector<char> input_;
  std::uint64_t taken_ = 0;     // from the source, buffered bytes included
  std::uint64_t produced_ = 0;  // all members
  std::uint64_t members_ = 0;
  bool in_member_ = false;
  bool source_ended_ = false;
  bool ended_ = false;
  std::optional<Error> broken_;
};

}  // namespace landfall::io
