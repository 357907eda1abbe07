#include "store/measured_store.h"

#include <utility>

#include "store/observed_store.h"

namespace landfall::store {
namespace {

class CallMeter final : public StoreObserver {
 public:
  explicit CallMeter(StoreMetrics& metrics) : metrics_(metrics) {}

  void on_call(const StoreCall& call) override {
    const auto failure = call.error == nullptr ? std::nullopt : std::optional(call.error->code());
    metrics_.record(call.operation, failure, call.duration, call.bytes);
  }

 private:
  StoreMetrics& metrics_;
};

}  // namespace

std::unique_ptr<extension::ObjectStore> make_measured_store(std::unique_ptr<extension::ObjectStore> inner,
                                                            StoreMetrics& metrics, const Clock& clock) {
  return make_observed_store(std::move(inner), std::make_shared<CallMeter>(metrics), clock);
}

}  // namespace landfall::store
