#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox/registry.h"
#include "sandbox/request.h"
#include "sandbox_kinds/kind_info.h"

// Reading what clients send, with the server's words for what is wrong with it. Pure.
namespace landfall::sandbox {

// A 400 that begins like a real server's. `what` is the kind that was expected.
Result<json::Json> parse_body(std::string_view body, BodyFormat format, std::string_view what);

// Our reader's message in the server's words, as far as clients could look for them.
std::string go_json_message(const std::string& message);

// Whether the object says (or leaves open) that it is of the kind, and has metadata that can be read as such.
Status check_type(const KindSet& kinds, const KindInfo& kind, const json::Json& object);

// The paths of keys that occur twice in a JSON text ("data.a"); at most a hundred.
std::vector<std::string> duplicate_fields(std::string_view body);

// Refuses the fields (kStrict), turns them into warnings (kWarn) or forgets them.
Status report_fields(const KindInfo& kind, const std::vector<std::string>& problems, FieldValidation how,
                     std::vector<std::string>* warnings);

}  // namespace landfall::sandbox
