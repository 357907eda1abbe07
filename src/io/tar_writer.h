#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "io/stream.h"
#include "io/tar_header.h"

namespace landfall::io {

struct TarFile {
  std::string_view name;  // relative, without `.` or `..`: what safe_relative_name() leaves as it is
  WallTime mtime;         // rounded to the second
  std::uint32_t mode = 0755;
};

// Writes regular files into a tar archive, in constant memory. The bytes are those that Go's writer makes, and with it
// Velero: a plain ustar header where the name, size and time fit, a pax header before it otherwise; owner 0 without
// names.
//
// After an error the archive is lost and every call returns that error again, except that a refused name changes
// nothing.
class TarWriter {
 public:
  // The sink stays open: who owns it closes it after close() has succeeded.
  explicit TarWriter(Writer& sink) : sink_(sink) {}

  Status add(const TarFile& file, std::string_view content);
  // The content has exactly `size` bytes: more or fewer is kInvalid.
  Status add(const TarFile& file, std::uint64_t size, Reader& content);
  // Writes the end mark. There must be no add() after it.
  Status close();

  // How long the archive is so far.
  std::uint64_t position() const { return position_; }

 private:
  Status write_header(const TarFile& file, std::uint64_t size);
  Status write_extended(std::string_view name, std::string_view records);
  Status write_content(std::uint64_t size, Reader& content);
  Status write_padding(std::uint64_t size);
  Status put(std::string_view bytes);

  Writer& sink_;
  std::uint64_t position_ = 0;
  std::optional<Error> broken_;
};

}  // namespace landfall::io
