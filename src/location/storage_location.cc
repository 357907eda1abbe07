#include <fmt/format.h>

#include "base/quote.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "location/location_settings.h"
#include "location/opened_location.h"

namespace landfall::location {
namespace {

Result<std::unique_ptr<OpenedLocation>> open(const json::Json& location, kube::Client& client, World world,
                                             const std::stop_token& stop) {
  TRY_ASSIGN(LocationSettings settings, "", read_settings(location, client, world, stop));
  TRY_ASSIGN(bucket::Layout layout, "", bucket::Layout::create(settings.config["prefix"]));
  const std::string name_space(k8s::ObjectView(location).name_space());
  world.read_secret = [&](const std::string& name, const std::string& key) {
    return read_secret(client, name_space, name, key, stop);
  };
  TRY_ASSIGN(auto store, "", open_store(settings.provider, settings.config, world));
  return std::make_unique<OpenedLocation>(std::move(store), std::move(layout), std::move(settings.credentials));
}

}  // namespace

Result<std::unique_ptr<OpenedLocation>> open_location(const json::Json& location, kube::Client& client,
                                                      const World& world, const std::stop_token& stop) {
  TRY_ASSIGN(auto opened, fmt::format("backup storage location {}", quote(k8s::ObjectView(location).name())),
             open(location, client, world, stop));
  return opened;
}

}  // namespace landfall::location
