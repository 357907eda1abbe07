#include "built_in_plugins/restore_plugins.h"

#include <map>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "api/restore.h"
#include "base/strings.h"
#include "built_in_plugins/backup_plugins.h"
#include "hooks/init_hook_action.h"
#include "hooks/restore_hooks.h"
#include "item_actions/restore_actions.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "kube/resource.h"

namespace landfall::built_in_plugins {
namespace {

using Action = extension::RestoreItemAction;
using Actions = std::vector<std::unique_ptr<Action>>;

// The actions of one restore, with all that they refer to.
struct RestoreSet {
  json::Json restore;
  api::RestoreSpec spec;
  std::vector<json::Json> pod_volume_backups;
  std::shared_ptr<Cluster> cluster;
  Actions actions;

  // Null for one that has nothing to do in this restore.
  Action* find(const std::string& name) const {
    for (const auto& action : actions) {
      if (action->name() == name) return action.get();
    }
    return nullptr;
  }
};

// Makes the actions of a restore when its first object comes, and keeps those of the last one. Thread-safe.
class RestoreSets {
 public:
  explicit RestoreSets(LazyCluster& cluster) : cluster_(cluster) {}

  Result<std::shared_ptr<RestoreSet>> get(const json::Json& restore, const std::stop_token& stop) {
    const std::string uid = json::string_or(restore, {"metadata", "uid"}, "");
    const auto find = [&](const Made& made) { return made.uid == uid ? made.set : nullptr; };
    if (auto known = made_.with(find)) return known;
    TRY_ASSIGN(const std::shared_ptr<RestoreSet> set, "", make(restore, stop));
    return made_.with([&](Made& made) {
      if (made.uid != uid || !made.set) made = {.uid = uid, .set = set};
      return made.set;
    });
  }

 private:
  struct Made {
    std::string uid;
    std::shared_ptr<RestoreSet> set;
  };

  Result<std::shared_ptr<RestoreSet>> make(const json::Json& restore, const std::stop_token& stop) const {
    auto set = std::make_shared<RestoreSet>();
    set->restore = restore;
    TRY_ASSIGN(set->spec, "the Restore", api::read_restore_spec(set->restore));
    TRY_ASSIGN(set->cluster, "", cluster_.get(stop));
    const kube::Resource volumes(*set->cluster->client, api::kPodVolumeBackup.resource(), cluster_.name_space());
    kube::ListOptions of_backup;
    of_backup.label_selector = std::string(api::label::kBackupName) + "=" + k8s::label_safe(set->spec.backup_name);
    TRY_ASSIGN(kube::ObjectList found, "pod volume backups", volumes.list(of_backup, stop));
    set->pod_volume_backups = std::move(found.items);
    set->actions = item_actions::built_in_restore_actions({.client = *set->cluster->client,
                                                           .name_space = cluster_.name_space(),
                                                           .spec = set->spec,
                                                           .pod_volume_backups = &set->pod_volume_backups,
                                                           .has_csi = true,  // the host knows which to ask
                                                           .log = cluster_.log()},
                                                          *set->cluster->discovery);
    TRY_ASSIGN(hooks::RestoreHooks hooks, "", hooks::RestoreHooks::make(set->spec.hooks, *set->cluster->discovery));
    set->actions.push_back(hooks::make_init_hook_action(std::move(hooks), set->spec.namespace_mapping));
    return set;
  }

  LazyCluster& cluster_;
  Guarded<Made> made_;
};

class LazyAction final : public Action, public extension::Waitable {
 public:
  LazyAction(std::string name, std::string inner, Action& shape, std::shared_ptr<RestoreSets> sets)
      : name_(std::move(name)),
        inner_(std::move(inner)),
        scope_(shape.scope()),
        has_waitable_(shape.waitable() != nullptr),
        sets_(std::move(sets)) {}

  std::string name() const override { return name_; }
  extension::ActionScope scope() const override { return scope_; }
  extension::Waitable* waitable() override { return has_waitable_ ? this : nullptr; }

  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& stop) override {
    TRY_ASSIGN(const auto set, "", sets_->get(input.restore, stop));
    Action* action = set->find(inner_);
    if (action == nullptr) return extension::RestoreActionResult{};
    return action->execute(input, stop);
  }
  Result<bool> are_ready(const std::vector<k8s::ObjectRef>& additional, const json::Json& restore,
                         const std::stop_token& stop) override {
    TRY_ASSIGN(const auto set, "", sets_->get(restore, stop));
    Action* action = set->find(inner_);
    return action == nullptr ? Result<bool>(true) : action->are_ready(additional, restore, stop);
  }
  Result<extension::OperationProgress> progress(const std::string& operation_id, const json::Json& owner,
                                                const std::stop_token& stop) override {
    TRY_ASSIGN(const auto set, "", sets_->get(owner, stop));
    TRY_ASSIGN(extension::Waitable * waitable, "", waitable_in(*set));
    return waitable->progress(operation_id, owner, stop);
  }
  Status cancel(const std::string& operation_id, const json::Json& owner, const std::stop_token& stop) override {
    TRY_ASSIGN(const auto set, "", sets_->get(owner, stop));
    TRY_ASSIGN(extension::Waitable * waitable, "", waitable_in(*set));
    return waitable->cancel(operation_id, owner, stop);
  }

 private:
  Result<extension::Waitable*> waitable_in(const RestoreSet& set) const {
    Action* action = set.find(inner_);
    if (action == nullptr || action->waitable() == nullptr) return fail(Code::kNotFound, "no such operation");
    return action->waitable();
  }

  const std::string name_;
  const std::string inner_;
  const extension::ActionScope scope_;
  const bool has_waitable_;
  const std::shared_ptr<RestoreSets> sets_;
};

}  // namespace

Status add_restore_actions(plugin_kit::Plugins& plugins, LazyCluster& cluster, const std::string& domain) {
  TRY_ASSIGN(const std::unique_ptr<Cluster> none, "", nowhere(system_clock()));
  api::RestoreSpec spec;
  spec.namespace_mapping["a"] = "b";  // so that none is left out
  Actions shapes = item_actions::built_in_restore_actions(
      {.client = *none->client, .name_space = cluster.name_space(), .spec = spec, .has_csi = true, .log = Logger()},
      *none->discovery);
  shapes.push_back(hooks::make_init_hook_action({}, {}));
  const auto sets = std::make_shared<RestoreSets>(cluster);
  for (const auto& shape : shapes) {
    const bool is_second = contains(shape->name(), "/csi-");
    plugins.add(std::make_unique<LazyAction>(name_in(domain, shape->name()), shape->name(), *shape, sets),
                is_second ? plugin_kit::ActionVersion::kSecond : plugin_kit::ActionVersion::kFirst);
  }
  return {};
}

}  // namespace landfall::built_in_plugins
