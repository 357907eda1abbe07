#include "io/tar_writer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "io/tar_name.h"

namespace landfall::io {
namespace {

constexpr std::array<char, 2 * kTarBlockSize> kZeros{};
constexpr std::size_t kChunk = 64UL * 1024;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string only_ascii(std::string_view text) {
  std::string ascii;
  std::copy_if(text.begin(), text.end(), std::back_inserter(ascii),
               [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii;
}

// Puts the name into the name field, or splits it at a slash over prefix and name. False when neither is possible.
bool fit_name(std::string_view name, TarHeader& header) {
  if (!is_ascii(name)) {
    return false;
  }
  if (name.size() <= kTarNameSize) {
    header.name = name;
    return true;
  }
  const std::size_t slash = name.substr(0, kTarPrefixSize + 1).rfind('/');
  if (slash == std::string_view::npos || name.size() - slash - 1 > kTarNameSize) {
    return false;
  }
  header.prefix = name.substr(0, slash);
  header.name = name.substr(slash + 1);
  return true;
}

// What programs that know no pax see. A name that ends in a slash would look like a directory to them.
std::string cut_name(std::string_view name, std::size_t size) {
  std::string cut = only_ascii(name);
  if (cut.size() > size) {
    cut.resize(size);
    cut.erase(cut.find_last_not_of('/') + 1);
  }
  return cut;
}

// Half a second rounds up, as in Go.
std::int64_t rounded_seconds(WallTime time) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto whole = std::chrono::floor<seconds>(time);
  const bool up = time - whole >= milliseconds(500);
  return whole.time_since_epoch().count() + (up ? 1 : 0);
}

}  // namespace

Status TarWriter::add(const TarFile& file, std::string_view content) {
  return guarded([&]() -> Status {
    TRY("", write_header(file, content.size()));
    TRY("", put(content));
    return write_padding(content.size());
  }());
}
