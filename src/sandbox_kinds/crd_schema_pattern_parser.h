#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox_kinds/crd_schema_pattern.h"

// The first half of Pattern::compile(): from text to a tree.
namespace landfall::sandbox {

struct PatternNode {
  enum class Type { kEmpty, kClass, kBegin, kEnd, kBoundary, kNoBoundary, kSequence, kChoice, kRepeat };
  Type type = Type::kEmpty;
  Pattern::Class characters;          // kClass
  std::vector<PatternNode> children;  // kSequence, kChoice; one for kRepeat
  std::size_t at_least = 0;           // kRepeat
  std::size_t at_most = 0;            // kRepeat; kNoLimit: any number

  static constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);
};

Result<PatternNode> parse_pattern(std::string_view text);

}  // namespace landfall::sandbox
