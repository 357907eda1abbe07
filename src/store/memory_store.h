#pragma once

#include <memory>

#include "extension/object_store.h"

namespace landfall::store {

// A bucket in memory, for tests: everything that the interface promises, all capabilities but signing.
std::unique_ptr<extension::ObjectStore> make_memory_store();

}  // namespace landfall::store
