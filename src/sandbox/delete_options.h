#pragma once

#include "base/result.h"
#include "http/request.h"
#include "sandbox/api.h"
#include "sandbox/request.h"

namespace landfall::sandbox {

// The options of a deletion, from the body when there is one, else from the query.
Result<DeleteOptions> read_delete_options(const KindSet& kinds, const ApiRequest& request, const http::Request& raw);

// Whether the answer to a finished deletion is the object, as a real server has it for a few kinds, or a Status.
bool returns_deleted_object(const KindInfo& kind);

}  // namespace landfall::sandbox
