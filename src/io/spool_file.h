#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/descriptor.h"
#include "io/stream.h"

namespace landfall::io {

class SpoolReader;

// A temporary file without a name: written once from front to back, then read at any offset. It is gone with the
// object, also after a crash. Writing belongs to one thread; reading what was written is thread-safe.
class SpoolFile final : public Writer {
 public:
  // On the file system of `directory`.
  static Result<SpoolFile> create(const std::string& directory);

  Status write(std::string_view bytes) override;
  // Nothing is buffered and nothing needs to survive: it ends the writing, and fails when a write did.
  Status close() override;

  std::uint64_t size() const { return size_; }
  // Fills the buffer; kInvalid when that goes past the end.
  Status read_at(std::uint64_t offset, std::span<char> buffer) const;
  // Reads a piece. The file must outlive the reader.
  SpoolReader reader(std::uint64_t offset, std::uint64_t length) const;

 private:
  explicit SpoolFile(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
  std::uint64_t size_ = 0;
  bool closed_ = false;
  bool failed_ = false;
};

class SpoolReader final : public Reader {
 public:
  SpoolReader(const SpoolFile& file, std::uint64_t offset, std::uint64_t length)
      : file_(&file), offset_(offset), left_(length) {}
  Result<std::size_t> read(std::span<char> buffer) override;

 private:
  const SpoolFile* file_;
  std::uint64_t offset_;
  std::uint64_t left_;
};

}  // namespace landfall::io
