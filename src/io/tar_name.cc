#include "io/tar_name.h"

#include <algorithm>

#include "base/quote.h"

namespace landfall::io {
namespace {

tl::unexpected<Error> refuse(std::string_view name, std::string_view why) {
  return fail(Code::kInvalid, "unsafe name " + quote_name(name) + " in an archive: " + std::string(why));
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

std::string quote_name(std::string_view name) {
  constexpr std::size_t most = 300;
  std::string text = quote(name.substr(0, most));
  if (name.size() > most) {
    text += "... (" + std::to_string(name.size()) + " bytes)";
  }
  return text;
}

}  // namespace landfall::io
