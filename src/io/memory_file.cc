#include "io/memory_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace landfall::io {

Result<MemoryFile> MemoryFile::create(std::string_view content) {
  Descriptor file(::memfd_create("landfall", MFD_CLOEXEC));
  if (!file) return tl::unexpected(errno_error("create a file in memory", errno));
  TRY("file in memory", write_descriptor(file.get(), content));
  return MemoryFile(std::move(file));
}

}  // namespace landfall::io
