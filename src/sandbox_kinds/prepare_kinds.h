#pragma once

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// What single built-in kinds need beyond the common rules; for prepare.cc.
namespace landfall::sandbox {

void prepare_kind_for_create(const KindInfo& kind, json::Json& object);
void prepare_kind_for_update(const KindInfo& kind, const json::Json& old, json::Json& next);

// status.qosClass of a pod cannot change.
void keep_quality_of_service(const json::Json& old, json::Json& next);
// BestEffort, Burstable or Guaranteed, from the requests and limits of its containers.
const char* quality_of_service(const json::Json& pod_spec);

}  // namespace landfall::sandbox
