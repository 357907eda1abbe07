#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"

// Documents that people and programs wrote: kubeconfigs, what an exec plugin prints. Errors name the place, never what
// stands there, which may be a secret.

namespace landfall::kube {

// JSON or YAML.
Result<json::Json> parse_json_or_yaml(std::string_view text);

// The text at the path; empty when it is missing.
Result<std::string> text_at(const json::Json& document, const json::Path& path);

}  // namespace landfall::kube
