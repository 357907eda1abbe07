#include <cstddef>
#include <cstdint>
#include <string_view>

#include "s3/answers.h"
#include "s3/s3_error.h"
#include "s3/xml.h"

namespace {

namespace s3 = landfall::s3;

void check_listing(std::string_view text) {
  const auto page = s3::parse_list(text);
  if (!page) {
    return;
  }
  for (const auto& object : page->objects) {
    if (object.key.empty()) {
      __builtin_trap();
    }
  }
}

void check_error(std::string_view text) {
  const landfall::io::HttpHead head{.status = 403, .headers = {}};
  const landfall::Error error = s3::error_from("GET", head, text, landfall::WallTime(), {"SECRET"});
  if (error.message().find("SECRET") != std::string::npos || error.message().find('\n') != std::string::npos) {
    __builtin_trap();
  }
}

// What we write is read back as it was, but for what XML cannot hold.
void check_round_trip(std::string_view text) {
  if (text.empty() || text.find_first_of(std::string_view("\0\r", 2)) != std::string_view::npos) {
    return;
  }
  const auto again = s3::XmlDocument::parse("<a>" + s3::xml_escape(text) + "</a>");
  if (!again || again->root().text() != text) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_listing(text);
  (void)s3::parse_upload_id(text);
  (void)s3::parse_delete_result(text);
  (void)s3::parse_uploads(text);
  (void)s3::parse_sts_credentials(text);
  check_error(text);
  check_round_trip(text);
  return 0;
}
