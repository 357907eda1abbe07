#include "io/tar_name.h"

#include <array>

namespace landfall::io {
namespace {

tl::unexpected<Error> refuse(std::string_view name, std::string_view why) {
  return fail(Code::kInvalid, "unsafe name \"" + printable(name) + "\" in an archive: " + std::string(why));
}

}  // namespace

Result<std::string> safe_relative_name(std::string_view name) {
  if (name.find('\0') != std::string_view::npos) {
    return refuse(name, "it contains a NUL byte");
  }
  if (name.find('\\') != std::string_view::npos) {
    return refuse(name, "it contains a backslash");
  }
  if (name.starts_with('/')) {
    return refuse(name, "it is absolute");
  }
  std::string safe;
  safe.reserve(name.size());
  for (std::size_t start = 0; start < name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") {
      continue;
    }
    if (part == "..") {
      return refuse(name, "it leads out of the archive");
    }
    if (!safe.empty()) {
      safe += '/';
    }
    safe += part;
  }
  if (safe.empty()) {
    return refuse(name, "it names nothing");
  }
  return safe;
}

std::string printable(std::string_view raw) {
  constexpr std::size_t kMost = 300;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : raw.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      text += "\\x";
      text += kDigits[byte >> 4U];
      text += kDigits[byte & 0xfU];
    } else {
      text += c;
    }
  }
  if (raw.size() > kMost) {
    text += "... (" + std::to_string(raw.size()) + " bytes)";
  }
  return text;
}

}  // namespace landfall::io
