#include "io/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace landfall::io {
namespace {

// Not every file system can make a file without a name (NFS, older overlays): there the name lives for a moment.
Descriptor open_unnamed(const std::string& directory) {
  Descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600));
  if (file || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return file;
  }
  std::string path = directory + "/.landfall-tmp-XXXXXX";
  file = Descriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (file) {
    ::unlink(path.c_str());
  }
  return file;
}

}  // namespace

Result<SpoolFile> SpoolFile::create(const std::string& directory) {
  Descriptor file = open_unnamed(directory);
  if (!file) {
    return tl::unexpected(errno_error("create a temporary file in " + directory, errno));
  }
  return SpoolFile(std::move(file));
}

Status SpoolFile::write(std::string_view bytes) {
  if (closed_ || failed_) {
    return fail(Code::kInternal, "temporary file: write after close or after a failed write");
  }
  if (Status written = write_descriptor(file_.get(), bytes); !written) {
    failed_ = true;
    return fail("temporary file", std::move(written).error());
  }
  size_ += bytes.size();
  return {};
}

Status SpoolFile::close() {
  closed_ = true;
  if (failed_) {
    return fail(Code::kInternal, "temporary file: close after a failed write");
  }
  return {};
}

Status SpoolFile::read_at(std::uint64_t offset, std::span<char> buffer) const {
  if (offset > size_ || buffer.size() > size_ - offset) {
    return fail(Code::kInvalid, "temporary file: " + std::to_string(buffer.size()) + " bytes at offset " +
                                    std::to_string(offset) + " are past its end at " + std::to_string(size_));
  }
  while (!buffer.empty()) {
    const ssize_t got = ::pread(file_.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (got == 0) {
      return fail(Code::kInternal, "temporary file: it was cut at offset " + std::to_string(offset));
    }
    if (got > 0) {
      buffer = buffer.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    } else if (errno != EINTR) {
      return tl::unexpected(errno_error("temporary file: read", errno));
    }
  }
  return {};
}

SpoolReader SpoolFile::reader(std::uint64_t offset, std::uint64_t length) const { return {*this, offset, length}; }

Result<std::size_t> SpoolReader::read(std::span<char> buffer) {
  const std::size_t count = std::min<std::uint64_t>(buffer.size(), left_);
  TRY("", file_->read_at(offset_, buffer.first(count)));
  offset_ += count;
  left_ -= count;
  return count;
}

}  // namespace landfall::io
