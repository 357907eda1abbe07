#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/label_selector.h"

namespace landfall::k8s {

// The requirements of a selector's text, in the order of the text. Behind LabelSelector::parse().
Result<std::vector<LabelRequirement>> parse_label_requirements(std::string_view text);

}  // namespace landfall::k8s
