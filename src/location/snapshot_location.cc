#include "location/snapshot_location.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "location/location_settings.h"

namespace landfall::location {
namespace {

using json::Json;

Result<Config> config_of(const Json& location) {
  TRY_ASSIGN(Config config, "", json::string_map_at(location, {"spec", "config"}));
  // Only what the server itself puts there is a file that it has made.
  config.erase("credentialsFile");
  return config;
}

Result<std::optional<io::MemoryFile>> credentials_of(const Json& location, kube::Client& client,
                                                     const std::stop_token& stop) {
  const Json* selector = json::find(location, {"spec", "credential"});
  if (selector == nullptr) return std::optional<io::MemoryFile>();
  TRY_ASSIGN(const std::string text, "spec.credential",
             read_secret(client, std::string(k8s::ObjectView(location).name_space()),
                         json::string_or(*selector, {"name"}, ""), json::string_or(*selector, {"key"}, ""), stop));
  TRY_ASSIGN(io::MemoryFile file, "", io::MemoryFile::create(text));
  return std::optional<io::MemoryFile>(std::move(file));
}

Result<OpenedSnapshotLocation> open(const Json& location, kube::Client& client, const World& world,
                                    const std::stop_token& stop) {
  OpenedSnapshotLocation opened{.provider = full_provider(json::string_or(location, {"spec", "provider"}, "")),
                                .credentials = {},
                                .snapshotter = {}};
  if (!world.open_plugin_snapshotter) {
    return fail(Code::kUnsupported, fmt::format("no plugin takes snapshots for provider {}", quote(opened.provider)));
  }
  TRY_ASSIGN(Config config, "", config_of(location));
  TRY_ASSIGN(opened.credentials, "", credentials_of(location, client, stop));
  if (opened.credentials) config["credentialsFile"] = opened.credentials->path();
  TRY_ASSIGN(opened.snapshotter, "", world.open_plugin_snapshotter(opened.provider, config, world.plugin_log()));
  return opened;
}

}  // namespace

std::string full_provider(std::string_view provider) {
  if (provider.empty() || provider.find('/') != std::string_view::npos) return std::string(provider);
  return "velero.io/" + std::string(provider);
}

Result<OpenedSnapshotLocation> open_snapshot_location(const Json& location, kube::Client& client, const World& world,
                                                      const std::stop_token& stop) {
  TRY_ASSIGN(OpenedSnapshotLocation opened,
             fmt::format("volume snapshot location {}", quote(k8s::ObjectView(location).name())),
             open(location, client, world, stop));
  return opened;
}

}  // namespace landfall::location
