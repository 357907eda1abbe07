#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/object_store.h"
#include "extension/volume_snapshotter.h"

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
  // The object store and the volume snapshotter that a plugin has under this name ("velero.io/gcp"); what the plugin
  // logs goes to the logger. kUnsupported when there is none. May be empty: no plugins.
  std::function<Result<std::unique_ptr<extension::ObjectStore>>(const std::string& provider, const Config& config,
                                                                const Logger& log)>
      open_plugin_store{};
  std::function<Result<std::unique_ptr<extension::VolumeSnapshotter>>(const std::string& provider, const Config& config,
                                                                      const Logger& log)>
      open_plugin_snapshotter{};
  // Providers whose plugin is used though there is a driver for them ("velero.io/aws").
  std::set<std::string> plugin_stores{};
  // Where plugins log, in the place of `log`: as in Velero, the log of the backup or restore that they work for.
  std::optional<Logger> operation_log{};

  const Logger& plugin_log() const { return operation_log ? *operation_log : log; }
};

inline constexpr std::array<std::string_view, 2> kBuiltInProviders = {"velero.io/aws", "velero.io/filesystem"};

// The store of a provider: `aws` is S3 and all that speak its protocol, `filesystem` a directory; with and without the
// prefix "velero.io/". What is built in counts more than a plugin, unless plugin_stores says otherwise. Nothing is
// asked of the bucket yet. kUnsupported for a provider that nobody knows; it says which there are.
Result<std::unique_ptr<extension::ObjectStore>> open_store(std::string_view provider, const Config& config,
                                                           const World& world);

}  // namespace landfall::location
