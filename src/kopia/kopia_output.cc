#include "kopia/kopia_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::kopia {
namespace {

constexpr std::string_view kProgress = "Processed ";

// A number that was rounded: what it may have been.
struct Rounded {
  double least = 0;
  double most = 0;
};

// "12", "86.5": with one decimal at most. In tenths.
std::optional<std::int64_t> parse_tenths(std::string_view text) {
  const auto parts = cut(text, '.');
  const auto whole = parse_uint64(parts ? parts->first : text);
  constexpr std::uint64_t kMost = 1'000'000;
  if (!whole || *whole > kMost) return std::nullopt;
  std::uint64_t tenth = 0;
  if (parts) {
    const auto digit = parse_uint64(parts->second);
    if (!digit || parts->second.size() != 1) return std::nullopt;
    tenth = *digit;
  }
  return static_cast<std::int64_t>(*whole * 10 + tenth);
}

// "389.4 MB"
std::optional<Rounded> parse_amount(std::string_view text) {
  const auto parts = cut(text, ' ');
  if (!parts) return std::nullopt;
  const auto tenths = parse_tenths(parts->first);
  constexpr std::array<std::string_view, 7> kUnits = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  const auto* const unit = std::ranges::find(kUnits, parts->second);
  if (!tenths || unit == kUnits.end()) return std::nullopt;
  const double size = std::pow(1000.0, static_cast<double>(unit - kUnits.begin()));
  const double value = static_cast<double>(*tenths) / 10 * size;
  const double half = unit == kUnits.begin() ? 0 : size / 20;
  return Rounded{.least = std::max(0.0, value - half), .most = value + half};
}

// Takes what is in the next parentheses.
std::optional<std::string_view> take_parenthesized(std::string_view& text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find(')', open);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  return inside;
}

// A point that is no decimal point.
std::size_t end_of_sentence(std::string_view text) {
  for (std::size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    const bool is_decimal = at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9';
    if (!is_decimal) return at;
  }
  return text.size();
}

}  // namespace

std::optional<ByteCount> parse_restored(std::string_view said, ByteCount total) {
  if (!said.starts_with(kProgress)) return std::nullopt;
  std::string_view rest = said.substr(0, end_of_sentence(said));
  const auto done_text = take_parenthesized(rest);
  const auto all_text = take_parenthesized(rest);
  if (!done_text || !all_text) return std::nullopt;
  const auto done = parse_amount(*done_text);
  const auto all = parse_amount(*all_text);
  if (!done || !all) return std::nullopt;
  double restored = done->least;
  const auto size = static_cast<double>(total.count());
  if (size >= all->least && size <= all->most) {
    while (const auto inside = take_parenthesized(rest)) {
      if (!inside->ends_with('%')) continue;
      if (const auto tenths = parse_tenths(inside->substr(0, inside->size() - 1))) {
        restored = std::clamp(static_cast<double>(*tenths) / 1000 * size, done->least, done->most);
      }
    }
  }
  return ByteCount(static_cast<std::int64_t>(std::clamp(restored, 0.0, size)));
}

std::string_view without_progress(std::string_view said) {
  if (!said.starts_with(kProgress)) return said;
  return trim(said.substr(std::min(end_of_sentence(said) + 1, said.size())));
}

Result<ByteCount> parse_snapshot_size(std::string_view printed) {
  std::string text;
  for (const std::string_view line : split(printed, '\n')) {
    if (!line.starts_with("//")) text.append(line).append("\n");
  }
  TRY_ASSIGN(const json::Json manifest, "manifest", json::parse(text));
  // A directory has a summary; a single file only its size.
  auto size = json::int_at(manifest, {"rootEntry", "summ", "size"});
  if (!size) size = json::int_at(manifest, {"rootEntry", "size"});
  if (!size || *size < 0) return fail(Code::kInvalid, "the manifest is none of a snapshot");
  return ByteCount(*size);
}

}  // namespace landfall::kopia
