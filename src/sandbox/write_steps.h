#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox/api.h"

// Internal to the operations: the steps that creating and changing an object have in common. Pure.
namespace landfall::sandbox {

// Puts the namespace of the request into the metadata; a 400 when the object names another.
Status check_namespace(const KindInfo& kind, std::string_view name_space, json::Json& metadata);
// Takes away what the kind does not know, and says so: "unknown field \"spec.size\"".
std::vector<std::string> unknown_fields(const KindInfo& kind, json::Json& object);
// The same, reported as the options say.
Status prune_unknown(const KindInfo& kind, json::Json& object, const WriteOptions& options);
// A document with a JSON, merge or strategic merge patch applied, or the server's refusal of the patch.
Result<json::Json> patched(const json::Json& live, PatchType type, const json::Json& patch);
// Without a resourceVersion only some kinds may be replaced.
bool allows_unconditional_update(const KindInfo& kind);
bool allows_create_on_update(const KindInfo& kind);
// The answer to a dry run: the text of an object that was never stored has no resourceVersion.
ObjectPtr without_revision(StoredObject object);
// True when an object that is marked for deletion has nothing left to wait for.
bool is_ready_to_go(const KindInfo& kind, const json::Json& live, const json::Json& next);

}  // namespace landfall::sandbox
