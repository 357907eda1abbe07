#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox/authenticator.h"
#include "sandbox_kinds/kind_info.h"

// Kinds that are only ever asked: who am I, may I. Every authenticated user may do everything here.
namespace landfall::sandbox {

// The answer to a posted review; kUnsupported for a kind that is no review.
Result<json::Json> answer_review(const KindInfo& kind, std::string_view name_space, json::Json review, const User& user,
                                 const Authenticator& authenticator, WallTime now);

// The list of component statuses, which is made up in a real server too.
json::Json component_statuses();

}  // namespace landfall::sandbox
