#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/http_head_parser.h"
#include "io/http_request_check.h"

namespace {

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

}  // namespace

// What gets through has proper names and no control characters, and stays within the limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxBytes = 4096;
  constexpr std::size_t kMaxCount = 50;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's bytes
  std::string_view text(reinterpret_cast<const char*>(data), size);
  landfall::io::HttpHeadParser parser(kMaxBytes, kMaxCount);
  std::size_t taken = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    text.remove_prefix(line.size());
    if (!parser.add(line)) {
      break;
    }
    taken += line.size();
  }
  require(taken <= kMaxBytes && parser.headers().fields().size() <= kMaxCount);
  for (const auto& [name, value] : parser.headers().fields()) {
    require(landfall::io::is_http_token(name) && landfall::io::is_http_field_value(value));
  }
  return 0;
}
