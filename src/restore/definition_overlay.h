#pragma once

#include <memory>

#include "kube/discovery.h"
#include "restore/plan.h"
#include "restore/restore_job.h"

namespace landfall::restore {

// What the cluster would serve once these definitions of the archive were restored, for a preview. Definitions that the
// cluster has already stay as they are: a restore does not change them unless it is told to.
std::shared_ptr<const kube::Discovery> with_definitions(const kube::Discovery& live, const PlannedResource& definitions,
                                                        const archive::SpooledArchive& archive);

}  // namespace landfall::restore
