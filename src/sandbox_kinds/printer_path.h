#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"

namespace landfall::sandbox {

// The values that a path of a custom resource's column finds: the JSONPath of Kubernetes as far as columns use it.
//
//   .spec.replicas   ['a.b']   .metadata.annotations.a\.b   [0] [-1] [*]   [?(@.type=="Ready")]
//
// Filters compare a field with a text, a number, true or false by == and !=. Nothing when the path cannot be read;
// empty when it finds nothing. At most a thousand values. Points into the document.
std::optional<std::vector<const json::Json*>> find_by_path(const json::Json& document, std::string_view path);

}  // namespace landfall::sandbox
