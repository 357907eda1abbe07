#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "io/stream.h"

namespace landfall::s3 {

// How large the parts of an upload are, so that the 10,000 that S3 allows are enough. A value.
class PartPlan {
 public:
  static constexpr int kMaxParts = 10'000;

  PartPlan(std::size_t least, std::optional<std::uint64_t> total);
  // Of the part with that number, from 1 on. Where the total is not known, parts double in size every thousand.
  std::size_t size_of(int number) const;

 private:
  std::size_t size_;
  bool is_known_;
};

// Cuts a stream into the parts of a plan. Not thread-safe; the reader must outlive it.
class PartReader {
 public:
  PartReader(io::Reader& reader, std::size_t least, std::optional<std::uint64_t> total)
      : reader_(reader), plan_(least, total), total_(total) {}

  // The next part; one that is shorter than its plan, or empty, is the last. kDataLoss when the stream is not as long
  // as it was said to be.
  Result<std::string> next(const std::stop_token& stop);
  // Of the part that next() returns next.
  std::size_t next_size() const { return plan_.size_of(number_); }
  bool at_end() const { return at_end_; }

 private:
  Status check_total() const;

  io::Reader& reader_;
  PartPlan plan_;
  std::optional<std::uint64_t> total_;
  std::uint64_t read_ = 0;
  int number_ = 1;
  bool at_end_ = false;
};

}  // namespace landfall::s3
