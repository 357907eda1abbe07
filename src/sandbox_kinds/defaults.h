#pragma once

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// What an API server writes into an object before it looks at it: pure functions, no state, no clock.
namespace landfall::sandbox {

// Fills in what Kubernetes 1.34 fills in for a built-in kind, and what the schema of a custom resource says. Drops what
// a typed server forgets of a built-in kind (nulls, empty lists, empty maps). Doing it twice is doing it once. A value
// of the wrong type stays as it is. Unknown fields of a custom resource are pruned before: CrdSchema::prune().
void set_defaults(const KindInfo& kind, json::Json& object);

// True for the kinds that are defaulted as a real server does. These are not, or not in full (they are stored as sent):
//   PriorityLevelConfiguration, ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceClass, ServiceCIDR,
//   IPAddress, CertificateSigningRequest, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, RuntimeClass,
//   VolumeAttributesClass.
bool is_defaulted(const KindInfo& kind);

// The spec of a pod, wherever it stands (pods, templates).
void set_pod_spec_defaults(json::Json& spec);

}  // namespace landfall::sandbox
