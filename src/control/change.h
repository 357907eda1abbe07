#pragma once

#include <stop_token>

#include "base/result.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::control {

// Writes what differs between two states of an object, as a merge patch of just that, so that what others write
// meanwhile stays; `after` is what the server has then. Nothing differs: no call. Velero's objects have no status
// subresource, so status goes the same way. An object of the same name with another UID is left alone, with an error.
//
// With kConflict the patch carries the resourceVersion of `before`, and fails with that code when the object has
// changed since.
enum class IfChanged { kMerge, kConflict };
Status write_change(const kube::Resource& resource, const json::Json& before, json::Json& after,
                    const std::stop_token& stop, IfChanged if_changed = IfChanged::kMerge);

}  // namespace landfall::control
