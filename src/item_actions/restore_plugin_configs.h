#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "item_actions/restore_lookup.h"
#include "json/access.h"
#include "kube/client.h"

namespace landfall::item_actions {

// The ConfigMaps in the server's namespace that set up restore actions: those with the label velero.io/plugin-config
// and, named like the action, a label of the value RestoreItemAction. Lives as long as one restore: they are listed
// when an item needs one for the first time, all with one call. Thread-safe.
class PluginConfigs {
 public:
  // Borrows the client.
  PluginConfigs(kube::Client& client, std::string name_space) : client_(client), name_space_(std::move(name_space)) {}

  // The ConfigMap's data; empty when there is no ConfigMap. kInvalid when there are several: which one is meant?
  Result<std::shared_ptr<const json::StringMap>> of(const std::string& action, const std::stop_token& stop);

 private:
  struct Config {
    std::vector<std::string> names;
    std::shared_ptr<const json::StringMap> data;  // of the last
  };
  using Configs = std::map<std::string, Config>;  // by the name of the action

  Result<Configs> list(const std::stop_token& stop) const;

  kube::Client& client_;
  const std::string name_space_;
  Lookup<Configs> configs_;
};

}  // namespace landfall::item_actions
