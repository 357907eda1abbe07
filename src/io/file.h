#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "io/descriptor.h"
#include "io/stream.h"

namespace landfall::io {

// Reads a file from its start. Errors name the path.
class FileReader final : public Reader {
 public:
  // kNotFound, kForbidden …; a directory is kInvalid.
  static Result<FileReader> open(const std::string& path);

  Result<std::size_t> read(std::span<char> buffer) override;
  // As it was when the file was opened; 0 for what has no size, such as a pipe.
  std::uint64_t size() const { return size_; }

 private:
  FileReader(std::string path, Descriptor file, std::uint64_t size);
  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

struct FileOptions {
  mode_t mode = 0600;   // less the umask
  bool replace = true;  // false: close() fails with kAlreadyExists where the name is taken, also by a race
};

// Writes a file that appears under its name whole and on the disk, or not at all: the bytes go to a temporary file in
// the same directory, and close() syncs it, renames it and syncs the directory. Destroyed before that, it removes the
// temporary; a crash leaves one that is_temporary_name() knows.
class FileWriter final : public Writer {
 public:
  static Result<FileWriter> create(std::string path, FileOptions options = {});
  FileWriter(FileWriter&& other) noexcept = default;
  FileWriter& operator=(FileWriter&& other) = delete;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() override;

  Status write(std::string_view bytes) override;
  // Fails when a write failed before, and leaves nothing then.
  Status close() override;

 private:
  FileWriter(std::string path, FileOptions options, Descriptor directory);
  Status open_temporary();
  Status publish();
  void abandon();

  std::string path_;
  FileOptions options_;
  Descriptor directory_;
  std::string temporary_;  // its name in the directory
  Descriptor file_;        // open as long as the temporary exists
};

// True for the name (no directory) of a temporary file that a FileWriter makes: to be skipped in listings, and swept
// when old.
bool is_temporary_name(std::string_view name);

// The whole file; more than `limit` bytes is kTooLarge.
Result<std::string> read_file(const std::string& path, std::size_t limit);
Status write_file(const std::string& path, std::string_view bytes, FileOptions options = {});

}  // namespace landfall::io
