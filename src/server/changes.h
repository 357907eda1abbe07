#pragma once

#include "kube/cache.h"

namespace landfall::server {

// Which changes of an object are work for a reconciler: a new one, one that is gone, and anything but the status that
// the server itself writes all the time (progress, times of the last look): of the status only the phase counts.
//
// Velero's objects have no status subresource, so metadata.generation does not tell that.
bool is_work(const kube::CacheChange& change);

// Whether the phase is another one than before, or the object new or gone.
bool is_new_phase(const kube::CacheChange& change);

// status.phase; empty without one, and without an object.
std::string phase_of(const kube::Object& object);

}  // namespace landfall::server
