#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"
#include "base/utf8.h"
#include "extension/object_store.h"

namespace landfall::extension {
namespace {

constexpr std::size_t kMaxKey = 1024;
constexpr std::size_t kMaxShown = 255;

bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F || c == '\\';
}

const char* fault_of_part(std::string_view part) {
  if (part.empty()) return "a part between two \"/\" is empty";
  if (part == "." || part == "..") return "\".\" and \"..\" are not allowed";
  return nullptr;
}

const char* fault_of(std::string_view key) {
  if (key.empty()) return "it is empty";
  if (key.size() > kMaxKey) return "it is longer than 1024 bytes";
  if (std::ranges::any_of(key, is_forbidden)) return "control characters and backslashes are not allowed";
  if (!is_valid_utf8(key)) return "it is not UTF-8";
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find('/', at), key.size());
    if (const char* fault = fault_of_part(key.substr(at, end - at))) return fault;
    at = end + 1;
  }
  return nullptr;
}

}  // namespace

Status check_key(std::string_view key) {
  const char* fault = fault_of(key);
  if (fault == nullptr) return {};
  return fail(Code::kInvalid, fmt::format("object key {}: {}", quote(key.substr(0, kMaxShown)), fault));
}

}  // namespace landfall::extension
