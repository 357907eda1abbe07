#pragma once

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "extension/object_store.h"

namespace landfall::store {

// Writes a line for every call at the level debug: what, which key, how long, how much, and the error if there was one.
// Signed URLs are secrets and never written. The clock must outlive the store's readers.
std::unique_ptr<extension::ObjectStore> make_logged_store(std::unique_ptr<extension::ObjectStore> inner,
                                                          const Logger& log, const Clock& clock);

}  // namespace landfall::store
