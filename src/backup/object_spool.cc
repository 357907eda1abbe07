#include "backup/object_spool.h"

#include <span>

namespace landfall::backup {

Result<std::uint64_t> ObjectSpool::append(std::string_view bytes) {
  const std::scoped_lock lock(writing_);
  const std::uint64_t offset = file_.size();
  TRY("spool objects", file_.write(bytes));
  return offset;
}

Status ObjectSpool::read(std::uint64_t offset, std::uint32_t length, std::string& into) const {
  into.resize(length);
  TRY("read a spooled object", file_.read_at(offset, std::span<char>(into)));
  return {};
}

}  // namespace landfall::backup
