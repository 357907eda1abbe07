#pragma once

#include <stop_token>

#include "base/result.h"
#include "json/json.h"
#include "kube/resource.h"
#include "progress/progress.h"

namespace landfall::agent {

// Writes the progress of a transfer into its object, each time only what has changed. Whoever watches sees no count go
// down, also when a process began anew what another one had left: as long as it is behind that one, the counts stand.
// The end is exact. For one thread.
class ProgressPatches {
 public:
  // `object` as the server has it.
  ProgressPatches(kube::Resource objects, json::Json object);

  Status write(progress::ByteProgress now, const std::stop_token& stop);

 private:
  const kube::Resource objects_;
  json::Json object_;
  const progress::ByteCounts shown_;  // by an earlier process
};

}  // namespace landfall::agent
