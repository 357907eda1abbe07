#pragma once

#include "json/json_fwd.h"
#include "sandbox/field_set.h"
#include "sandbox_kinds/kind_info.h"

// The two halves of server-side apply on documents. Pure.
namespace landfall::sandbox {

// The live object with what the configuration says: objects member by member, keyed lists by key, sets united, all else
// replaced.
json::Json merge_configuration(const KindInfo& kind, const json::Json& live, const json::Json& configuration);

// Takes the fields away, and the objects and lists that become empty by that.
void remove_fields(const KindInfo& kind, json::Json& document, const FieldSet& fields);

}  // namespace landfall::sandbox
