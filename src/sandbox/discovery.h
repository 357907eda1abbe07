#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json_fwd.h"
#include "sandbox/registry.h"

// The documents by which clients find out what is served. Pure.
namespace landfall::sandbox {

// GET /api and GET /apis, in the old form.
json::Json api_versions(std::string_view server_address);
json::Json api_group_list(const KindSet& kinds);
// GET /apis/<group>; nothing when there is no such group. (The core group has no such document.)
std::optional<json::Json> api_group(const KindSet& kinds, std::string_view group);
// GET /api/v1 and /apis/<group>/<version>.
std::optional<json::Json> api_resource_list(const KindSet& kinds, std::string_view group, std::string_view version);

// GET /api and GET /apis when the client takes aggregated discovery (apidiscovery.k8s.io/v2).
json::Json aggregated_discovery(const KindSet& kinds, bool core);

// GET /version and GET /.
json::Json server_version();
json::Json root_paths(const KindSet& kinds);

}  // namespace landfall::sandbox
