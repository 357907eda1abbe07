#include "uploader_program/written_bytes.h"

#include <string>

#include "base/strings.h"
#include "io/file.h"

namespace landfall::uploader_program {

std::optional<ByteCount> parse_written(std::string_view text) {
  constexpr std::string_view kName = "wchar: ";
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(kName)) continue;
    const auto count = parse_int64(trim(line.substr(kName.size())));
    if (!count || *count < 0) return std::nullopt;
    return ByteCount(*count);
  }
  return std::nullopt;
}

std::optional<ByteCount> written_by(int pid) {
  constexpr std::size_t kMost = 4096;
  const auto text = io::read_file("/proc/" + std::to_string(pid) + "/io", kMost);
  return text ? parse_written(*text) : std::nullopt;
}

}  // namespace landfall::uploader_program
