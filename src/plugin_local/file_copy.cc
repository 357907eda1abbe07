#include "plugin_local/file_copy.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/digest.h"
#include "io/descriptor.h"

namespace landfall::plugin_local {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20U;

// One file on its way: how far it is, and the digest so far.
class Passage {
 public:
  Passage(int from, std::string from_path, int to, std::string to_path, const OnBytes& on_bytes)
      : from_(from), from_path_(std::move(from_path)), to_(to), to_path_(std::move(to_path)), on_bytes_(on_bytes) {}

  Result<CopiedFile> run(std::uint64_t end) {
    while (position_ < end) {
      const std::uint64_t data = next_data(end);
      TRY("", pass_hole(data));
      if (position_ == end) break;
      TRY_ASSIGN(const bool has_more, "", pass_data(std::min<std::uint64_t>(next_hole(end), end)));
      if (!has_more) break;  // it has become shorter
    }
    if (to_ >= 0 && ::ftruncate(to_, static_cast<off_t>(position_)) != 0) {
      return tl::unexpected(io::errno_error("write " + to_path_, errno));
    }
    return CopiedFile{.size = position_, .sha256 = hex_encode(as_bytes(digest_.finish()))};
  }

 private:
  // Where a file system does not know holes, everything is data.
  std::uint64_t next_data(std::uint64_t end) const {
    const off_t at = ::lseek(from_, static_cast<off_t>(position_), SEEK_DATA);
    if (at < 0) return errno == ENXIO ? end : position_;
    return std::min(static_cast<std::uint64_t>(at), end);
  }
  std::uint64_t next_hole(std::uint64_t end) const {
    const off_t at = ::lseek(from_, static_cast<off_t>(position_), SEEK_HOLE);
    return at < 0 ? end : std::max(static_cast<std::uint64_t>(at), position_ + 1);
  }

  Status pass_hole(std::uint64_t end) {
    static const std::vector<char> zeros(kChunk);
    while (position_ < end) {
      const std::size_t size = std::min<std::uint64_t>(kChunk, end - position_);
      digest_.update({zeros.data(), size});
      position_ += size;
      TRY("", on_bytes_(size));
    }
    return {};
  }

  // False at the end of the file.
  Result<bool> pass_data(std::uint64_t end) {
    while (position_ < end) {
      const std::size_t wanted = std::min<std::uint64_t>(kChunk, end - position_);
      const ssize_t size = ::pread(from_, buffer_.data(), wanted, static_cast<off_t>(position_));
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return tl::unexpected(io::errno_error("read " + from_path_, errno));
      if (size == 0) return false;
      const auto got = static_cast<std::size_t>(size);
      digest_.update({buffer_.data(), got});
      if (to_ >= 0) TRY("", write(got));
      position_ += got;
      TRY("", on_bytes_(got));
    }
    return true;
  }

  Status write(std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t written = ::pwrite(to_, buffer_.data() + done, size - done, static_cast<off_t>(position_ + done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return tl::unexpected(io::errno_error("write " + to_path_, errno));
      done += static_cast<std::size_t>(written);
    }
    return {};
  }

  const int from_;
  const std::string from_path_;
  const int to_;
  const std::string to_path_;
  const OnBytes& on_bytes_;
  std::uint64_t position_ = 0;
  Sha256 digest_;
  std::vector<char> buffer_ = std::vector<char>(kChunk);
};

Result<std::uint64_t> size_of(int file, const std::string& path) {
  struct stat info{};
  if (::fstat(file, &info) != 0) return tl::unexpected(io::errno_error("look at " + path, errno));
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace

Result<CopiedFile> digest_file(int file, const std::string& path, const OnBytes& on_bytes) {
  TRY_ASSIGN(const std::uint64_t size, "", size_of(file, path));
  return Passage(file, path, -1, "", on_bytes).run(size);
}

Result<CopiedFile> copy_file(int from, const std::string& from_path, int to, const std::string& to_path,
                             const OnBytes& on_bytes) {
  TRY_ASSIGN(const std::uint64_t size, "", size_of(from, from_path));
  // NOLINTNEXTLINE(*-vararg): it is how it is
  if (size > 0 && ::ioctl(to, FICLONE, from) == 0) {
    // What is read is the copy: it is of one moment, and the digest is of what is kept.
    TRY_ASSIGN(CopiedFile copied, "", digest_file(to, to_path, on_bytes));
    copied.shares_blocks = true;
    return copied;
  }
  return Passage(from, from_path, to, to_path, on_bytes).run(size);
}

}  // namespace landfall::plugin_local
