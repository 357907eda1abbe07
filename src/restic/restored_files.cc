#include "restic/restored_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace landfall::restic {
namespace {

struct RecordHead {
  std::int64_t size = 0;
  std::uint64_t path_length = 0;
};

constexpr std::size_t kLongestPath = 64 * 1024;

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

// Where it has data; what is only allocated is a hole.
std::int64_t data_in(int file, std::int64_t size) {
  constexpr int kMostPieces = 100;  // a file in more pieces shows a little less
  std::int64_t data = 0;
  off_t at = 0;
  for (int piece = 0; piece < kMostPieces && at < size; ++piece) {
    const off_t start = ::lseek(file, at, SEEK_DATA);
    if (start < 0) break;
    const off_t end = ::lseek(file, start, SEEK_HOLE);
    if (end < start) break;
    data += end - start;
    at = end;
  }
  return std::min<std::int64_t>(data, size);
}

}  // namespace

Result<RestoredFiles> RestoredFiles::create(const std::string& directory, const std::string& scratch) {
  struct stat info{};
  if (::stat(scratch.c_str(), &info) != 0) return tl::unexpected(io::errno_error("stat " + scratch, errno));
  io::Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return tl::unexpected(io::errno_error("open " + directory, errno));
  TRY_ASSIGN(io::SpoolFile paths, "list of files", io::SpoolFile::create(scratch));
  return RestoredFiles(std::move(opened), std::move(paths), nanoseconds(info.st_ctim));
}

Status RestoredFiles::add(std::string_view path, ByteCount size) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  if (path.empty() || path.size() > kLongestPath) return {};
  const RecordHead head{.size = size.count(), .path_length = path.size()};
  std::array<char, sizeof head> bytes{};
  std::memcpy(bytes.data(), &head, sizeof head);
  unwritten_.append(bytes.data(), bytes.size()).append(path);
  seen_.push_back(0);
  constexpr std::size_t kChunk = 64UL * 1024;
  return unwritten_.size() >= kChunk ? flush() : Status();
}

Status RestoredFiles::flush() {
  TRY("list of files", paths_.write(unwritten_));
  unwritten_.clear();
  return {};
}

Result<RestoredFiles::Record> RestoredFiles::next_record() {
  RecordHead head;
  std::array<char, sizeof head> bytes{};
  TRY("list of files", paths_.read_at(offset_, bytes));
  std::memcpy(&head, bytes.data(), sizeof head);
  Record record{.path = std::string(head.path_length, '\0'), .size = head.size};
  TRY("list of files", paths_.read_at(offset_ + bytes.size(), record.path));
  offset_ += bytes.size() + record.path.size();
  return record;
}

std::int64_t RestoredFiles::measure(const Record& record) const {
  struct stat info{};
  if (::fstatat(directory_.get(), record.path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (!S_ISREG(info.st_mode) || nanoseconds(info.st_ctim) < began_) return 0;
  if (info.st_blocks == 0) return 0;
  const io::Descriptor file(
      ::openat(directory_.get(), record.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file ? data_in(file.get(), record.size) : 0;
}

Result<ByteCount> RestoredFiles::look(std::size_t files) {
  if (!unwritten_.empty()) TRY("", flush());
  for (std::size_t left = std::min(files, seen_.size()); left > 0; --left) {
    TRY_ASSIGN(const Record record, "", next_record());
    std::int64_t& seen = seen_[at_];
    if (seen < record.size) {
      const std::int64_t now = std::max(seen, measure(record));
      sum_ += ByteCount(now - seen);
      seen = now;
    }
    if (++at_ == seen_.size()) at_ = offset_ = 0;
  }
  return sum_;
}

}  // namespace landfall::restic
