#include "built_in_plugins/backup_plugins.h"

#include <utility>

#include "base/strings.h"
#include "item_actions/crd_remap_action.h"
#include "item_actions/pod_action.h"
#include "item_actions/pv_action.h"
#include "item_actions/service_account_action.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::built_in_plugins {
namespace {

using Action = extension::BackupItemAction;
using Make = std::function<std::unique_ptr<Action>(Cluster& cluster)>;

// An action that is made, for each backup anew, when the first object comes: what actions look up they keep.
class LazyAction final : public Action {
 public:
  LazyAction(std::string name, extension::ActionScope scope, LazyCluster& cluster, Make make)
      : name_(std::move(name)), scope_(std::move(scope)), cluster_(cluster), make_(std::move(make)) {}

  std::string name() const override { return name_; }
  extension::ActionScope scope() const override { return scope_; }
  Result<extension::BackupActionResult> execute(const json::Json& item, const json::Json& backup,
                                                const std::stop_token& stop) override {
    TRY_ASSIGN(const std::shared_ptr<Action> action, "", action_of(backup, stop));
    return action->execute(item, backup, stop);
  }

 private:
  struct Made {
    std::string backup;  // its UID
    std::shared_ptr<Action> action;
  };

  Result<std::shared_ptr<Action>> action_of(const json::Json& backup, const std::stop_token& stop) {
    const std::string uid = json::string_or(backup, {"metadata", "uid"}, "");
    const auto find = [&](const Made& made) { return made.backup == uid ? made.action : nullptr; };
    if (auto known = made_.with(find)) return known;
    TRY_ASSIGN(const std::shared_ptr<Cluster> cluster, "", cluster_.get(stop));
    std::shared_ptr<Action> action = make_(*cluster);
    return made_.with([&](Made& made) {
      if (made.backup != uid || !made.action) made = {.backup = uid, .action = action};
      return made.action;
    });
  }

  const std::string name_;
  const extension::ActionScope scope_;
  LazyCluster& cluster_;
  const Make make_;
  Guarded<Made> made_;
};

}  // namespace

std::string name_in(const std::string& domain, const std::string& name) {
  const auto parts = cut(name, '/');
  return domain + "/" + std::string(parts ? parts->second : name);
}

Status add_backup_actions(plugin_kit::Plugins& plugins, LazyCluster& cluster, const std::string& domain) {
  TRY_ASSIGN(const std::unique_ptr<Cluster> none, "", nowhere(system_clock()));
  const std::vector<Make> all = {
      [](Cluster& one) { return std::make_unique<item_actions::CrdRemapAction>(*one.client, *one.discovery); },
      [](Cluster&) { return std::make_unique<item_actions::PodAction>(); },
      [](Cluster&) { return std::make_unique<item_actions::PvAction>(); },
      [](Cluster& one) { return std::make_unique<item_actions::ServiceAccountAction>(*one.client, *one.discovery); }};
  for (const Make& make : all) {
    const std::unique_ptr<Action> shape = make(*none);
    plugins.add(std::make_unique<LazyAction>(name_in(domain, shape->name()), shape->scope(), cluster, make),
                plugin_kit::ActionVersion::kFirst);
  }
  return {};
}

}  // namespace landfall::built_in_plugins
