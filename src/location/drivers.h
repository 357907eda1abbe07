#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/object_store.h"

namespace landfall::location {

// Settings as a driver gets them: those of the location, and `bucket`, `prefix`, `caCert`, `credentialsFile`.
using Config = std::map<std::string, std::string>;

// What drivers need of the world. What is referred to must outlive the stores that are opened with it.
struct World {
  const Environment& environment;
  Clock& clock;
  Logger log;
  // Someone sits in front of it and waits: give up sooner.
  bool is_impatient = false;
  // Reads a key of a Secret of the server's namespace; may be empty.
  std::function<Result<std::string>(const std::string& secret, const std::string& key)> read_secret;
};

inline constexpr std::array<std::string_view, 2> kBuiltInProviders = {"velero.io/aws", "velero.io/filesystem"};

// The store of a provider: `aws` is S3 and all that speak its protocol, `filesystem` a directory; with and without the
// prefix "velero.io/". Nothing is asked of the bucket yet. kUnsupported for a provider that we do not know.
Result<std::unique_ptr<extension::ObjectStore>> open_store(std::string_view provider, const Config& config,
                                                           const World& world);

}  // namespace landfall::location
