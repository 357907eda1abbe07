#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/http_proxy.h"

// The first line is a URL, the rest a NO_PROXY list. "*" at its end makes everything an exception.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::Environment;
  using landfall::io::HttpProxy;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's bytes
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) {
    return 0;
  }
  const landfall::Result<landfall::io::Url> url = landfall::io::parse_url(text.substr(0, line));
  const std::string list(text.substr(line + 1));
  for (const std::string& exceptions : {list, list + ",*"}) {
    const landfall::Result<HttpProxy> proxy = HttpProxy::from_environment(
        Environment({{"HTTP_PROXY", "p:1"}, {"HTTPS_PROXY", "p:2"}, {"NO_PROXY", exceptions}}));
    if (!proxy || (url && exceptions.ends_with(",*") && proxy->proxy_for(*url))) {
      __builtin_trap();
    }
    if (url) {
      (void)proxy->proxy_for(*url);
    }
  }
  return 0;
}
