#include "s3/part_reader.h"

#include <algorithm>
#include <span>

namespace landfall::s3 {
namespace {

constexpr int kDoubleEvery = 1000;
constexpr std::size_t kFirstBuffer = 64UL * 1024;
constexpr std::uint64_t kMiB = 1UL << 20U;

}  // namespace

PartPlan::PartPlan(std::size_t least, std::optional<std::uint64_t> total) : size_(least), is_known_(total.has_value()) {
  const std::uint64_t needed = total.value_or(0) / kMaxParts + 1;
  if (needed > least) {
    size_ = static_cast<std::size_t>((needed + kMiB - 1) / kMiB * kMiB);
  }
}

std::size_t PartPlan::size_of(int number) const {
  return is_known_ ? size_ : size_ << static_cast<unsigned>((number - 1) / kDoubleEvery);
}

Status PartReader::check_total() const {
  if (total_ && read_ != *total_) {
    return fail(Code::kDataLoss, "the source has " + std::to_string(read_) + " bytes, but " + std::to_string(*total_) +
                                     " were announced");
  }
  return {};
}

Result<std::string> PartReader::next(const std::stop_token& stop) {
  const std::size_t size = next_size();
  // Memory as it is needed: most sources are much smaller than a part.
  // One byte more than is expected tells the end without a larger buffer.
  const std::uint64_t left = total_ ? *total_ - std::min(read_, *total_) + 1 : kFirstBuffer;
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, left)), '\0');
  std::size_t filled = 0;
  while (filled < size && !at_end_) {
    if (stop.stop_requested()) {
      return fail(Code::kCancelled, "stopped");
    }
    if (filled == bytes.size()) {
      bytes.resize(std::min(size, bytes.size() * 2));
    }
    TRY_ASSIGN(const std::size_t count, "", reader_.read(std::span(bytes).subspan(filled)));
    filled += count;
    at_end_ = count == 0;
  }
  bytes.resize(filled);
  read_ += filled;
  ++number_;
  if (at_end_ || (total_ && read_ > *total_)) {
    TRY("", check_total());
  }
  return bytes;
}

}  // namespace landfall::s3
