#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "modifiers/rule.h"

namespace landfall::modifiers {

// Reads the text of resource modifiers. Stricter than Velero, which finds a wrong expression, value or patch only when
// an object meets it: kInvalid with the place, "resourceModifierRules[1].conditions.groupResource: …".
Result<std::vector<Rule>> read_rules(std::string_view yaml);

}  // namespace landfall::modifiers
