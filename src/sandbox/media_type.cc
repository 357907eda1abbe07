#include "sandbox/media_type.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/strings.h"

namespace landfall::sandbox {
namespace {

constexpr std::size_t kMaxEntries = 100;

// "0.8" → 0.8; anything else counts in full.
double quality_of(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 1.0;
  double value = text[0] - '0';
  double place = 0.1;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9') return 1.0;
    value += (digit - '0') * place;
    place /= 10;
  }
  return std::min(value, 1.0);
}

}  // namespace

MediaType parse_media_type(std::string_view text) {
  MediaType out;
  bool first = true;
  for (const std::string_view part : split(text, ';')) {
    const std::string_view word = trim(part);
    if (std::exchange(first, false)) {
      out.type = to_lower(word);
      continue;
    }
    const auto pair = cut(word, '=');
    if (!pair) continue;
    const std::string name = to_lower(trim(pair->first));
    std::string_view value = trim(pair->second);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (name == "q") {
      out.quality = quality_of(value);
    } else {
      out.parameters.insert_or_assign(name, std::string(value));
    }
  }
  return out;
}

std::vector<MediaType> parse_accept(std::string_view header) {
  std::vector<MediaType> out;
  for (const std::string_view entry : split(header, ',')) {
    if (out.size() >= kMaxEntries) break;
    MediaType type = parse_media_type(entry);
    if (!type.type.empty() && type.quality > 0) out.push_back(std::move(type));
  }
  std::ranges::stable_sort(out, [](const MediaType& a, const MediaType& b) { return a.quality > b.quality; });
  return out;
}

}  // namespace landfall::sandbox
