#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "archive/indexed_item.h"
#include "io/spool_file.h"

namespace landfall::archive {

// Writes contents to a spool in large pieces, and compares new ones with those that are there. Used by one thread; the
// file must outlive it.
class SpoolBuffer {
 public:
  explicit SpoolBuffer(io::SpoolFile& file) : file_(file) {}

  Result<Extent> append(std::string_view bytes);
  // Whether the extent holds just these bytes.
  Result<bool> equals(const Extent& extent, std::string_view bytes);
  // Hands over to the file what is left.
  Status flush();

 private:
  io::SpoolFile& file_;
  std::string pending_;   // what follows the end of the file
  std::string compared_;  // reused
};

}  // namespace landfall::archive
