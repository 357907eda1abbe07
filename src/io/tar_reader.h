#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/stream.h"
#include "io/tar_header.h"

namespace landfall::io {

enum class TarEntryType { kFile, kDirectory, kHardLink, kSymbolicLink, kDevice, kFifo, kOther };
std::string_view to_string(TarEntryType type);

struct TarEntry {
  std::string name;  // as it stands in the archive, not always UTF-8: see safe_relative_name()
  std::string link;  // what a link points to
  TarEntryType type = TarEntryType::kFile;
  std::uint32_t mode = 0;
  std::uint64_t size = 0;
  std::chrono::sys_seconds mtime;
  std::uint64_t header_offset = 0;   // where the entry begins in the archive, extended headers included
  std::uint64_t content_offset = 0;  // where its content begins
};

// What an archive may ask of us; past any of these the reader fails with kTooLarge.
struct TarLimits {
  std::size_t name_length = 4096;
  std::uint64_t entry_size = std::uint64_t{1} << 30U;  // 1 GiB; an item of a backup has a few MiB at most
  std::uint64_t entries = 20'000'000;
  std::uint64_t total_size = std::uint64_t{1} << 36U;  // 64 GiB, headers and padding included
};

// Reads a tar archive (POSIX ustar and pax, GNU) entry by entry as it streams by, in constant memory.
//
// Strict, because a backup that is not whole must not be taken for whole: kDataLoss with the offset where the archive
// is cut, where its end mark is missing, where something follows the end mark, and where readers are known to disagree.
// Sparse files and headers that change all later entries are kUnsupported. After an error every call returns it again.
class TarReader {
 public:
  explicit TarReader(Reader& source, TarLimits limits = {});
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;
  ~TarReader() = default;

  // The next entry, whatever its type, or nullptr at the end of the archive. What was not read of the one before is
  // skipped. The entry is valid until the next call.
  Result<const TarEntry*> next();
  // The content of the entry that next() returned last.
  Reader& content() { return content_; }

 private:
  class Content final : public Reader {
   public:
    explicit Content(TarReader& tar) : tar_(tar) {}
    Result<std::size_t> read(std::span<char> buffer) override;

   private:
    TarReader& tar_;
  };
  // What extended headers say about the entry that follows them.
  struct Extension {
    std::optional<std::string> name;
    std::optional<std::string> link;
    std::optional<std::int64_t> size;
    std::optional<std::int64_t> mtime;
    bool has_pax = false;
    bool empty() const { return !has_pax && !name && !link; }
  };

  Result<bool> read_entry();
  Result<bool> read_block(TarBlock& block);
  Status read_extension(const TarHeader& header, Extension& extension);
  Status apply_pax(std::string_view data, Extension& extension) const;
  Status check_global(std::string_view data) const;
  Status fill_entry(TarHeader header, Extension extension);
  Status read_trailer();
  Result<std::string> read_extended_data(std::int64_t size);
  Result<std::size_t> read_content(std::span<char> buffer);
  Status skip(std::uint64_t count);
  Status refill();
  std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t count);
  tl::unexpected<Error> failure(Code code, std::uint64_t offset, std::string_view what) const;

  Reader& source_;
  const TarLimits limits_;
  Content content_{*this};
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;      // offset of buffered()
  std::uint64_t content_left_ = 0;  // of the current entry
  std::uint64_t padding_ = 0;       // after it
  std::uint64_t entries_ = 0;
  TarEntry entry_;
  bool ended_ = false;
  std::optional<Error> broken_;
};

}  // namespace landfall::io
