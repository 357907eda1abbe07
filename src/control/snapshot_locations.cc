#include "control/snapshot_locations.h"

#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::control {

Result<SnapshotLocations> choose_snapshot_locations(const Context& context, const std::vector<std::string>& named,
                                                    const std::map<std::string, std::string>& defaults,
                                                    const std::stop_token& stop) {
  TRY_ASSIGN(const kube::ObjectList all, "", context.objects(api::kVolumeSnapshotLocation).list({}, stop));
  std::map<std::string, std::vector<std::string>> by_provider;
  std::map<std::string, std::string> provider_of;
  for (const json::Json& one : all.items) {
    const std::string name(k8s::ObjectView(one).name());
    const std::string provider = json::string_or(one, {"spec", "provider"}, "");
    by_provider[provider].push_back(name);
    provider_of[name] = provider;
  }
  SnapshotLocations chosen;
  std::map<std::string, std::string> taken;  // by provider
  for (const std::string& name : named) {
    const auto found = provider_of.find(name);
    if (found == provider_of.end()) {
      chosen.problems.push_back("volume snapshot location " + name + " does not exist");
      continue;
    }
    const auto [before, is_new] = taken.try_emplace(found->second, name);
    if (is_new) {
      chosen.names.push_back(name);
    } else if (before->second != name) {
      chosen.problems.push_back("volume snapshot locations " + before->second + " and " + name +
                                " are both of provider " + found->second + ": name one of them");
    }
  }
  for (const auto& [provider, names] : by_provider) {
    if (taken.contains(provider)) continue;
    const auto preset = defaults.find(provider);
    if (names.size() == 1) {
      chosen.names.push_back(names.front());
    } else if (preset != defaults.end()) {
      chosen.names.push_back(preset->second);
    } else {
      chosen.problems.push_back("provider " + provider +
                                " has several volume snapshot locations and no default: name one of them");
    }
  }
  return chosen;
}

}  // namespace landfall::control
