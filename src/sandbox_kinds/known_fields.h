#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

// Takes away the fields that a built-in kind does not have, as the server's decoder does, and names them
// ("spec.ports[0].prot"), at most a hundred. Of kinds whose fields are not written down (see protobuf_schema.cc) only
// the metadata is looked at. Pure.
std::vector<std::string> prune_built_in(const KindInfo& kind, json::Json& object);

// Why the server's decoder cannot read an object of a built-in kind: the first value of a wrong type, in its words
// ("json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"). Pure.
std::optional<std::string> wrong_type(const KindInfo& kind, const json::Json& object);

// A condition in a status has its times, if only as null: as Go writes them. Pure.
void write_missing_times(const KindInfo& kind, json::Json& object);

}  // namespace landfall::sandbox
