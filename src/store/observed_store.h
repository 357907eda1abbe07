#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "extension/object_store.h"
#include "store/store_operation.h"

namespace landfall::store {

// One call, told when it is over. A get is over when its reader is gone.
struct StoreCall {
  StoreOperation operation = StoreOperation::kGet;
  std::string_view key;          // or the prefix; of several keys the first
  std::uint64_t objects = 0;     // listed, removed or found
  std::uint64_t bytes = 0;       // sent or received; a body that is sent again counts once
  Duration duration{};           // spent in the store: not between two reads, but in a source or a visitor
  const Error* error = nullptr;  // null when it succeeded
};

// Called from any thread.
class StoreObserver {
 public:
  StoreObserver() = default;
  StoreObserver(const StoreObserver&) = delete;
  StoreObserver& operator=(const StoreObserver&) = delete;
  virtual ~StoreObserver() = default;
  virtual void on_call(const StoreCall& call) = 0;
};

// Tells of every call; what logged_store and measured_store are made of. The clock must outlive the store's readers.
std::unique_ptr<extension::ObjectStore> make_observed_store(std::unique_ptr<extension::ObjectStore> inner,
                                                            std::shared_ptr<StoreObserver> observer,
                                                            const Clock& clock);

}  // namespace landfall::store
