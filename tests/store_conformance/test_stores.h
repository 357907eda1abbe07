#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "store/faulty_store.h"
#include "store/filesystem_store.h"
#include "store/limited_store.h"
#include "store/logged_store.h"
#include "store/measured_store.h"
#include "store/memory_store.h"
#include "store/retrying_store.h"
#include "store_conformance/fixture.h"
#include "testkit/temp_dir.h"

// The stores that need nothing but this machine.
namespace landfall::store {

inline Result<std::unique_ptr<extension::ObjectStore>> open_local_filesystem() {
  static const testkit::TempDir directory;
  TRY("", make_bucket(directory.path().string(), "bucket"));
  return open_filesystem({{"path", directory.path().string()}, {"bucket", "bucket"}}, Logger());
}

inline Result<std::unique_ptr<extension::ObjectStore>> open_memory() { return make_memory_store(); }

class NoMetrics final : public StoreMetrics {
 public:
  void record(StoreOperation /*operation*/, std::optional<Code> /*failure*/, Duration /*duration*/,
              std::uint64_t /*bytes*/) override {}
};

// All decorators around a store that is asked to slow down again and again.
inline Result<std::unique_ptr<extension::ObjectStore>> open_decorated() {
  static NoMetrics metrics;
  auto faulty = std::make_unique<FaultyStore>(make_memory_store());
  faulty->fail_every(3, Error(Code::kThrottled, "slow down"));
  const RetryOptions retry{.attempts = 20, .backoff = {.first = std::chrono::microseconds(1)}};
  auto store = make_retrying_store(std::move(faulty), retry, system_clock(), system_random(), Logger());
  store = make_limited_store(std::move(store), 4, system_clock());
  store = make_logged_store(std::move(store), Logger(), system_clock());
  return make_measured_store(std::move(store), metrics, system_clock());
}

inline auto local_stores() {
  return testing::Values(ConformanceTarget{"filesystem", open_local_filesystem},
                         ConformanceTarget{"memory", open_memory}, ConformanceTarget{"decorated", open_decorated});
}

}  // namespace landfall::store
