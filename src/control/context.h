#pragma once

#include <string>

#include "api/names.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "control/locations.h"
#include "control/running_operations.h"
#include "kube/client.h"
#include "kube/resource.h"
#include "metrics/metrics.h"

namespace landfall::control {

// What every reconciler works with. All of it outlives them.
struct Context {
  kube::Client& client;
  std::string name_space;  // the server's own: all velero.io objects are in it
  Clock& clock;
  Random& random;
  Logger log;
  Locations& locations;
  RunningOperations& running;
  metrics::Metrics& metrics;

  // The objects of a kind, in the server's namespace.
  kube::Resource objects(const api::Kind& kind) const { return {client, kind.resource(), name_space}; }
};

}  // namespace landfall::control
