// A pattern, and the text to match, on each side of the first line break.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "selection/glob.h"
#include "selection/list_rules.h"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::selection::Glob;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto parts = landfall::cut(input, '\n');
  const std::string_view pattern = parts ? parts->first : input;
  const std::string_view text = parts ? parts->second : input;
  const auto glob = Glob::compile(pattern);
  // A pattern of a namespace that passes validation can be used.
  if (!glob && landfall::selection::namespace_pattern_problems(pattern).empty()) {
    __builtin_trap();
  }
  if (!glob) {
    return 0;
  }
  const bool matches = glob->matches(text);
  if (glob->is_literal() && matches != (pattern == text)) {
    __builtin_trap();
  }
  // What a pattern matches, it matches behind a star too.
  const auto wider = Glob::compile("*" + std::string(pattern));
  if (matches && pattern.size() < Glob::kMaxBytes && (!wider || !wider->matches(text))) {
    __builtin_trap();
  }
  return 0;
}
