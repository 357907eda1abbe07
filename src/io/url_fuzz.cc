#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/url.h"

namespace {

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

}  // namespace

// What is read is written so that it is read as the same again, and nothing behind the path is ever shown.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::io::Url;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's bytes
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string encoded = landfall::io::percent_encode(text);
  require(landfall::io::percent_decode(encoded).value() == text);

  const landfall::Result<Url> url = landfall::io::parse_url(text);
  if (!url) {
    return 0;
  }
  const landfall::Result<Url> again = landfall::io::parse_url(landfall::io::to_string(*url));
  require(again && *again == *url);
  const landfall::Result<Url> shown = landfall::io::parse_url(landfall::io::redacted(*url));
  require(shown && shown->userinfo.empty() && !shown->query && !shown->fragment);
  require(shown->host == url->host && shown->path == url->path);
  return 0;
}
