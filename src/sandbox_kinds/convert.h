#pragma once

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// The two kinds that are served in versions of different shapes: Events (core and events.k8s.io) and
// HorizontalPodAutoscalers (v1 and v2). All others are stored as they are. Pure.
namespace landfall::sandbox {

// True for a kind whose documents differ from the stored ones.
bool needs_conversion(const KindInfo& kind);
void convert_to_storage(const KindInfo& kind, json::Json& object);
void convert_from_storage(const KindInfo& kind, json::Json& object);

}  // namespace landfall::sandbox
