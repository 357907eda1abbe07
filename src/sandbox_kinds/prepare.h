#pragma once

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

// What an API server takes away from, keeps of and adds to an object by itself between reading and storing it. Pure:
// name, uid, creationTimestamp, resourceVersion, cluster IPs and whatever else needs a state or a clock are the
// caller's. The order of a write: set_defaults, admit (creation), prepare_for_…, validate_…, store.
namespace landfall::sandbox {

// What the admission plugins that are always on write into a new object without asking the cluster: finalizers of PVCs
// and PVs, the name label of a namespace, the two default tolerations of a pod and, without a class, its priority 0.
void admit(const KindInfo& kind, json::Json& object);

// A new object, whose name, uid and creationTimestamp are already there (a Job's selector is made of its uid, and a PV
// says since when it is Pending): status is dropped where the server owns it, or set to its first value (pod and
// namespace phases, stored versions of a CRD); namespaces get their finalizer; metadata.generation is 1 or absent; what
// only the server writes into metadata (selfLink, deletionTimestamp …) is dropped.
void prepare_for_create(const KindInfo& kind, json::Json& object);

// A changed object, before it replaces `old`. Through the main path status stays that of `old`; through /status all but
// status does (labels and annotations, too, as far as the kind is concerned). Server-owned metadata is carried over and
// generation counted. Fields that a client may leave out and that cannot change (clusterIP, volumeName, nodeName …) are
// carried over where the real server does that.
void prepare_for_update(const KindInfo& kind, const json::Json& old, json::Json& next, bool status_subresource);

// Whether the part of the object that generation counts has changed: everything but metadata and status for custom
// resources, spec for the others.
bool spec_changed(const KindInfo& kind, const json::Json& old, const json::Json& next);

}  // namespace landfall::sandbox
