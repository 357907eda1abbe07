#include "location/drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/quote.h"
#include "base/strings.h"
#include "location/snapshot_location.h"
#include "s3/s3_store.h"
#include "store/filesystem_store.h"

namespace landfall::location {

Result<std::unique_ptr<extension::ObjectStore>> open_store(std::string_view provider, const Config& config,
                                                           const World& world) {
  const std::string_view name = strip_prefix(provider, "velero.io/").value_or(provider);
  const std::string full = full_provider(provider);
  const bool is_built_in = std::ranges::find(kBuiltInProviders, full) != kBuiltInProviders.end();
  if (world.open_plugin_store && (!is_built_in || world.plugin_stores.contains(full))) {
    auto store = world.open_plugin_store(full, config, world.plugin_log());
    if (store || is_built_in || store.error().code() != Code::kUnsupported) return store;
    return fail(Code::kUnsupported,
                fmt::format("no driver for the provider {}: built in are aws (S3) and filesystem; {}", quote(provider),
                            store.error().message()));
  }
  if (name == "aws") {
    s3::S3Options options{.logger = world.log, .read_secret = world.read_secret};
    if (world.is_impatient) {
      options.tuning.max_attempts = 3;
      options.tuning.connect_timeout = std::chrono::seconds(10);
      options.tuning.idle_timeout = std::chrono::seconds(20);
    }
    return s3::open_s3(config, world.environment, world.clock, options);
  }
  if (name == "filesystem") return store::open_filesystem(config, world.log);
  return fail(Code::kUnsupported,
              fmt::format("no driver for the provider {}: there are aws (S3) and filesystem", quote(provider)));
}

}  // namespace landfall::location
