#pragma once

#include <string>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// metadata.managedFields: who set which field, and server-side apply on top of it. Pure.
namespace landfall::sandbox {

// Who writes.
struct FieldManager {
  std::string name;
  std::string api_version;
  std::string subresource;
  std::string time;  // RFC 3339
};

// After an update (or a creation, with an empty object for `live`): notes what changed under the manager's name and
// takes it away from the others. `next` may bring managedFields of its own; without any those of `live` go on, and one
// empty entry clears them, as in Kubernetes.
void track_update(const KindInfo& kind, const json::Json& live, json::Json& next, const FieldManager& manager);

// What applying a configuration (without repeated_elements) makes of the live object, managedFields included. What the
// manager applied before and leaves out now is removed, unless someone else owns it too. Without force it is a 409 that
// names every field that another manager owns with another value.
Result<json::Json> apply_configuration(const KindInfo& kind, const json::Json& live, const json::Json& configuration,
                                       const FieldManager& manager, bool force);

}  // namespace landfall::sandbox
