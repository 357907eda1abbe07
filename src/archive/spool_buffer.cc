#include "archive/spool_buffer.h"

namespace landfall::archive {
namespace {

constexpr std::size_t kPiece = 256UL * 1024;

}  // namespace

Result<Extent> SpoolBuffer::append(std::string_view bytes) {
  if (pending_.size() + bytes.size() > kPiece) {
    TRY("", flush());
  }
  const Extent extent{.offset = file_.size() + pending_.size(), .size = bytes.size()};
  if (bytes.size() > kPiece) {
    TRY("", file_.write(bytes));
  } else {
    pending_ += bytes;
  }
  return extent;
}

Result<bool> SpoolBuffer::equals(const Extent& extent, std::string_view bytes) {
  if (extent.size != bytes.size()) {
    return false;
  }
  // A content is never split between the two.
  if (extent.offset >= file_.size()) {
    return std::string_view(pending_).substr(extent.offset - file_.size(), extent.size) == bytes;
  }
  compared_.resize(extent.size);
  TRY("", file_.read_at(extent.offset, compared_));
  return compared_ == bytes;
}

Status SpoolBuffer::flush() {
  TRY("", file_.write(pending_));
  pending_.clear();
  return {};
}

}  // namespace landfall::archive
