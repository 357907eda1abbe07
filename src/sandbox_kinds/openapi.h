#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// The OpenAPI documents of the API server, as far as kubectl reads them: which kinds take fieldValidation and dryRun,
// and the schemas of custom resources for `kubectl explain`. Pure; build once per set of kinds and keep the text.
namespace landfall::sandbox {

using Kinds = std::span<const KindInfo* const>;

// GET /openapi/v3: the list of documents, each with a `serverRelativeURL` that ends in a hash of its content.
json::Json openapi_v3_index(Kinds kinds);

// GET /openapi/v3/<path>, such as "api/v1" or "apis/apps/v1"; nothing when no kind is served there.
std::optional<json::Json> openapi_v3_document(Kinds kinds, std::string_view path);

// GET /openapi/v2 as JSON.
json::Json openapi_v2(Kinds kinds);

// The same in protobuf, without paths and definitions. kubectl asks for it so, and only in protobuf, to make a patch of
// a built-in kind or to check a List, and does without what it does not find there.
std::string openapi_v2_protobuf();

}  // namespace landfall::sandbox
