#include "store/object_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "store/folder.h"

namespace landfall::store {

Result<std::unique_ptr<io::Reader>> ObjectReader::open(int folder, const std::string& name, std::string naming,
                                                       const std::stop_token& stop) {
  // Not to block: what looks like an object may be a pipe that nobody writes to.
  io::Descriptor file(open_at(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    const bool is_no_file = errno == ENOENT || errno == ELOOP || errno == ENXIO;  // missing, a link, a socket
    if (is_no_file) return no_such_object(naming);
    return tl::unexpected(io::errno_error(naming, errno));
  }
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return tl::unexpected(io::errno_error(naming, errno));
  if (!S_ISREG(info.st_mode)) return no_such_object(naming);
  return std::make_unique<ObjectReader>(std::move(file), static_cast<std::uint64_t>(info.st_size), std::move(naming),
                                        stop);
}

ObjectReader::ObjectReader(io::Descriptor file, std::uint64_t size, std::string naming, std::stop_token stop)
    : file_(std::move(file)), left_(size), naming_(std::move(naming)), stop_(std::move(stop)) {}

Result<std::size_t> ObjectReader::read(std::span<char> buffer) {
  if (stop_.stop_requested()) return fail(Code::kCancelled, naming_ + ": stopped");
  if (left_ == 0) return 0UL;
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left_));
  TRY_ASSIGN(const std::size_t got, naming_, io::read_descriptor(file_.get(), buffer.first(most)));
  if (got == 0 && most > 0) {
    return fail(Code::kDataLoss, fmt::format("{}: the file has lost its last {} bytes", naming_, left_));
  }
  left_ -= got;
  return got;
}

}  // namespace landfall::store
