#pragma once

#include <memory>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox_kinds/crd_schema.h"

namespace landfall::sandbox {

// Compiles an openAPIV3Schema. Errors name the place ("properties[spec].type: …"). A schema may nest a hundred levels
// and hold a hundred thousand nodes.
Result<std::unique_ptr<CrdSchema::Node>> parse_schema_node(const json::Json& schema);

}  // namespace landfall::sandbox
