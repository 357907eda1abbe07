#include "uploader_program/program_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"

namespace landfall::uploader_program {
namespace {

template <std::size_t N>
bool says_any(std::string_view text, const std::array<std::string_view, N>& phrases) {
  return std::ranges::any_of(phrases, [&](std::string_view phrase) { return contains(text, phrase); });
}

std::string after_colon(const std::string& text) { return text.empty() ? "" : ": " + text; }

}  // namespace

std::string one_line(std::string_view text) {
  constexpr std::size_t kHead = 200;
  constexpr std::size_t kTail = 400;
  text = trim(text);
  // The cause of a long chain of words is at its end.
  std::string line = text.size() <= kHead + kTail ? to_valid_utf8(text)
                                                  : to_valid_utf8(text.substr(0, kHead)) + " … " +
                                                        to_valid_utf8(text.substr(text.size() - kTail));
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::optional<Error> storage_error(const std::string& text) {
  constexpr std::array<std::string_view, 2> kFull = {"no space left on device", "disk quota exceeded"};
  constexpr std::array<std::string_view, 5> kDenied = {"access denied", "invalidaccesskeyid", "signaturedoesnotmatch",
                                                       "access key id you provided does not exist",
                                                       "request signature we calculated does not match"};
  constexpr std::array<std::string_view, 13> kAway = {"connection refused",
                                                      "no such host",
                                                      "timeout",
                                                      "connection reset",
                                                      "503 ",
                                                      "slowdown",
                                                      "unexpected eof",
                                                      "network unreachable",
                                                      "broken pipe",
                                                      "no route to host",
                                                      "i/o timeout",
                                                      "service unavailable",
                                                      "not initialized yet"};
  const std::string lower = to_lower(text);
  if (says_any(lower, kFull)) return Error(Code::kInternal, "the disk is full: " + text);
  if (says_any(lower, kDenied)) return Error(Code::kForbidden, text);
  if (says_any(lower, kAway)) return Error(Code::kUnavailable, text);
  return std::nullopt;
}

Error plain_error(std::string_view program, const Ending& ending) {
  const std::string text = one_line(ending.text);
  if (ending.signal != 0) {
    return Error(Code::kUnavailable,
                 fmt::format("{} was ended by signal {}{}", program, ending.signal, after_colon(text)));
  }
  return Error(Code::kInternal, fmt::format("{} ended with {}{}", program, ending.exit_code, after_colon(text)));
}

Error gave_up(std::string_view program, std::string_view complaint) {
  return Error(Code::kUnavailable, fmt::format("{} got nothing through any more: {}", program, one_line(complaint)));
}

}  // namespace landfall::uploader_program
