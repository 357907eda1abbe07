#include <utility>

#include "base/strings.h"
#include "k8s/names.h"
#include "plugin_kit/plugin_kit.h"
#include "plugin_kit/registry.h"

namespace landfall::plugin_kit {
namespace {

bool is_name(const std::string& name) {
  const auto parts = split(name, '/');
  return parts.size() == 2 && !parts[1].empty() && k8s::dns1123_subdomain_problems(parts[0]).empty();
}

template <class Map, class Value>
void add_to(Map& all, const Registry& registry, const std::string& kind, const std::string& name, Value value) {
  if (!is_name(name)) {
    registry.context.log.error("A plugin's name is not of the form example.com/name", {{"kind", kind}, {"name", name}});
    return;
  }
  if (!all.try_emplace(name, std::move(value)).second) {
    registry.context.log.error("Two plugins have one name", {{"kind", kind}, {"name", name}});
  }
}

template <class Action>
bool is_second(Action& action, ActionVersion version) {
  if (version == ActionVersion::kByNeed) return action.waitable() != nullptr;
  return version == ActionVersion::kSecond;
}

}  // namespace

Plugins::Plugins(const Context& context) : registry_(std::make_unique<Registry>(context)) {}
Plugins::~Plugins() = default;

void Plugins::add_object_store(const std::string& name, MakeObjectStore make) {
  add_to(registry_->stores, *registry_, "ObjectStore", name,
         std::make_unique<Configured<extension::ObjectStore>>(std::move(make)));
}

void Plugins::add_volume_snapshotter(const std::string& name, MakeVolumeSnapshotter make) {
  add_to(registry_->snapshotters, *registry_, "VolumeSnapshotter", name,
         std::make_unique<Configured<extension::VolumeSnapshotter>>(std::move(make)));
}

void Plugins::add(std::unique_ptr<extension::BackupItemAction> action, ActionVersion version) {
  const std::string name = action->name();
  const bool second = is_second(*action, version);
  add_to(registry_->backup_actions, *registry_, "BackupItemAction", name,
         Versioned<extension::BackupItemAction>{std::move(action), second});
}

void Plugins::add(std::unique_ptr<extension::RestoreItemAction> action, ActionVersion version) {
  const std::string name = action->name();
  const bool second = is_second(*action, version);
  add_to(registry_->restore_actions, *registry_, "RestoreItemAction", name,
         Versioned<extension::RestoreItemAction>{std::move(action), second});
}

void Plugins::add(std::unique_ptr<extension::DeleteItemAction> action) {
  const std::string name = action->name();
  add_to(registry_->delete_actions, *registry_, "DeleteItemAction", name, std::move(action));
}

void Plugins::add(std::unique_ptr<extension::ItemBlockAction> action) {
  const std::string name = action->name();
  add_to(registry_->block_actions, *registry_, "ItemBlockAction", name, std::move(action));
}

}  // namespace landfall::plugin_kit
