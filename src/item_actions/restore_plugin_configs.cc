#include "item_actions/restore_plugin_configs.h"

#include <utility>

#include "api/labels.h"
#include "base/strings.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {

Result<std::shared_ptr<const json::StringMap>> PluginConfigs::of(const std::string& action,
                                                                 const std::stop_token& stop) {
  static const auto nothing = std::make_shared<const json::StringMap>();
  TRY_ASSIGN(const std::shared_ptr<const Configs> configs, "list the ConfigMaps that set up restore actions",
             configs_.get(client_.clock(), stop, [&] { return list(stop); }));
  const auto config = configs->find(action);
  if (config == configs->end()) return nothing;
  if (config->second.names.size() > 1) {
    return fail(Code::kInvalid, "more than one ConfigMap in namespace " + name_space_ + " has the labels " +
                                    std::string(api::label::kPluginConfig) + " and " + action +
                                    "=RestoreItemAction: " + join(config->second.names, ", ") + "; leave one of them");
  }
  return config->second.data;
}

Result<PluginConfigs::Configs> PluginConfigs::list(const std::stop_token& stop) const {
  const kube::Resource config_maps(client_, {"", "v1", "configmaps"}, name_space_);
  TRY_ASSIGN(const kube::ObjectList found, "",
             config_maps.list({.label_selector = std::string(api::label::kPluginConfig)}, stop));
  Configs configs;
  for (const json::Json& item : found.items) {
    const k8s::ObjectView view(item);
    TRY_ASSIGN(json::StringMap data, std::string(view.name()), json::string_map_at(item, {"data"}));
    const auto shared = std::make_shared<const json::StringMap>(std::move(data));
    for (const auto& [key, value] : view.labels().copy()) {
      if (value != "RestoreItemAction") continue;
      Config& config = configs[key];
      config.names.emplace_back(view.name());
      config.data = shared;
    }
  }
  return configs;
}

}  // namespace landfall::item_actions
