#pragma once

#include <memory>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "extension/object_store.h"

namespace landfall::store {

struct RetryOptions {
  int attempts = 5;  // the first one included
  BackoffPolicy backoff;
};

// Tries calls again that fail by a passing fault (is_retryable), after a while, until they succeed, the attempts are
// used up or a stop is asked for. Every other error is returned as it is.
//
// - A put is tried again when its source can be opened again, and otherwise returns its error. With if_absent only
// after
//   kThrottled: after other faults the object may be there by our own hand, which would look like another's.
// - A get is tried again until it returns its reader; a fault while reading is the caller's.
// - A listing goes on behind the last key that was visited. The visitor's own errors end it.
//
// Clock and random must outlive it.
std::unique_ptr<extension::ObjectStore> make_retrying_store(std::unique_ptr<extension::ObjectStore> inner,
                                                            const RetryOptions& options, Clock& clock, Random& random,
                                                            const Logger& log);

}  // namespace landfall::store
