#pragma once

#include <string>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"

namespace landfall::sandbox {

struct Revision {
  std::string name;  // of the ControllerRevision: "db-6b8f4c7d9x"
  std::string hash;  // its label: "6b8f4c7d9x"
};

// The ControllerRevision that holds the owner's template, as `kubectl rollout history` reads it; made when there is
// none. One that came back from a backup without its owner is taken over. The newest has the highest number.
Result<Revision> ensure_revision(const Cluster& cluster, const KindInfo& kind, const json::Json& owner);

}  // namespace landfall::sandbox
