#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "extension/object_store.h"
#include "store/store_operation.h"

namespace landfall::store {

// Where measurements go: counters and a histogram for each operation and code. Called from any thread.
class StoreMetrics {
 public:
  StoreMetrics() = default;
  StoreMetrics(const StoreMetrics&) = delete;
  StoreMetrics& operator=(const StoreMetrics&) = delete;
  virtual ~StoreMetrics() = default;

  // One call that is over; no code when it succeeded. The bytes were sent by a put, received by a get.
  virtual void record(StoreOperation operation, std::optional<Code> failure, Duration duration,
                      std::uint64_t bytes) = 0;
};

// Measures every call. A get counts when its reader is gone, with the time that went into reading. The metrics and the
// clock must outlive the store's readers.
std::unique_ptr<extension::ObjectStore> make_measured_store(std::unique_ptr<extension::ObjectStore> inner,
                                                            StoreMetrics& metrics, const Clock& clock);

}  // namespace landfall::store
