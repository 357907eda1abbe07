#include <cstddef>
#include <cstdint>
#include <string>

#include "json/json.h"
#include "json/parse.h"
#include "kube/raw_page.h"

// Whatever a server sends as a list: each item that is handed out is JSON by the rules of our own parser.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto page = landfall::kube::RawPage::slice(std::string(reinterpret_cast<const char*>(data), size));
  if (!page) {
    return 0;
  }
  for (const landfall::kube::RawItem& item : page->items()) {
    std::string text;
    page->append_object(item, text);
    const auto document = landfall::json::parse(text);
    // Depth is the one limit that differs.
    if (!document && document.error().code() != landfall::Code::kTooLarge) {
      __builtin_trap();
    }
  }
  return 0;
}
