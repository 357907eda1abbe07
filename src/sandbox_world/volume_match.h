#pragma once

#include <vector>

#include "json/json_fwd.h"

namespace landfall::sandbox {

// Whether the volume says that it is for this claim: by name, and by uid when it has one.
bool is_meant_for(const json::Json& volume, const json::Json& claim);
// Whether the volume has what the claim asks for: class, mode, access, size, labels.
bool fits(const json::Json& volume, const json::Json& claim);
// The one that is meant for the claim, or the smallest free one that fits; null when there is none.
const json::Json* choose_volume(const std::vector<json::Json>& volumes, const json::Json& claim);

}  // namespace landfall::sandbox
