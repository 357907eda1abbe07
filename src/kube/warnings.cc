#include "kube/warnings.h"

#include <optional>

#include "base/strings.h"

namespace landfall::kube {
namespace {

constexpr std::size_t kMost = 64;
constexpr std::size_t kLongest = 4096;

// 299 <agent> "text" with backslash escapes; anything behind the text (a date) is not ours to read.
std::optional<std::string> text_of(std::string_view value) {
  const auto rest = strip_prefix(trim(value), "299 ");
  const std::size_t open = rest ? rest->find('"') : std::string_view::npos;
  if (open == std::string_view::npos) {
    return std::nullopt;
  }
  std::string text;
  for (std::size_t i = open + 1; i < rest->size() && text.size() < kLongest; ++i) {
    char c = (*rest)[i];
    if (c == '"') {
      return to_valid_utf8(text);
    }
    if (c == '\\' && i + 1 < rest->size()) {
      c = (*rest)[++i];
    }
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  return to_valid_utf8(text);
}

}  // namespace

std::vector<std::string> parse_warnings(const io::HttpHeaders& headers) {
  std::vector<std::string> texts;
  for (const std::string_view value : headers.get_all("Warning")) {
    auto text = text_of(value);
    if (text && !text->empty() && texts.size() < kMost) {
      texts.push_back(*std::move(text));
    }
  }
  return texts;
}

}  // namespace landfall::kube
