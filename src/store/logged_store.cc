#include "store/logged_store.h"

#include <utility>

#include "base/go_duration.h"
#include "store/observed_store.h"

namespace landfall::store {
namespace {

class CallLog final : public StoreObserver {
 public:
  explicit CallLog(Logger log) : log_(std::move(log)) {}

  void on_call(const StoreCall& call) override {
    const Logger line = log_.with({{"operation", to_string(call.operation)},
                                   {"key", call.key},
                                   {"objects", call.objects},
                                   {"bytes", call.bytes},
                                   {"duration", format_go_duration(call.duration)}});
    if (call.error == nullptr) {
      line.debug("object store call");
    } else {
      line.debug("object store call failed", {LogField(*call.error)});
    }
  }

 private:
  const Logger log_;
};

}  // namespace

std::unique_ptr<extension::ObjectStore> make_logged_store(std::unique_ptr<extension::ObjectStore> inner,
                                                          const Logger& log, const Clock& clock) {
  return make_observed_store(std::move(inner), std::make_shared<CallLog>(log), clock);
}

}  // namespace landfall::store
