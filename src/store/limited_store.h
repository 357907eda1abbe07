#pragma once

#include <memory>

#include "base/clock.h"
#include "extension/object_store.h"

namespace landfall::store {

// Lets at most `most` calls be under way at once (at least one); others wait their turn, or for a stop. A get is under
// way until its reader is gone, a listing while its visitor runs: who calls the store from there needs a second place,
// and waits forever if there is only one. The clock must outlive the store's readers.
std::unique_ptr<extension::ObjectStore> make_limited_store(std::unique_ptr<extension::ObjectStore> inner, int most,
                                                           Clock& clock);

}  // namespace landfall::store
