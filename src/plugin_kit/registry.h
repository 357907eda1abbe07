#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "plugin_kit/calls.h"
#include "plugin_kit/plugin_kit.h"

namespace landfall::plugin_kit {

// Made of a config when the host calls Init, and again when it does so again.
template <class Interface>
class Configured {
 public:
  using Make = std::function<Result<std::unique_ptr<Interface>>(const Config& config)>;
  explicit Configured(Make make) : make_(std::move(make)) {}

  Status init(const Config& config) {
    TRY_ASSIGN(std::unique_ptr<Interface> made, "", make_(config));
    std::shared_ptr<Interface> shared = std::move(made);
    current_.with([&](std::shared_ptr<Interface>& current) { current.swap(shared); });
    return {};
  }
  Result<std::shared_ptr<Interface>> get() const {
    std::shared_ptr<Interface> current = current_.copy();
    if (!current) return fail(Code::kInvalid, "used before Init was called");
    return current;
  }

 private:
  const Make make_;
  Guarded<std::shared_ptr<Interface>> current_;
};

template <class Action>
struct Versioned {
  std::unique_ptr<Action> action;
  bool is_second = false;
};

// Complete before the first call comes in; from then on only read.
struct Plugins::Registry {
  explicit Registry(const Context& with) : context(with), calls(with.clock) {}

  Context context;
  Calls calls;
  std::map<std::string, std::unique_ptr<Configured<extension::ObjectStore>>> stores;
  std::map<std::string, std::unique_ptr<Configured<extension::VolumeSnapshotter>>> snapshotters;
  std::map<std::string, Versioned<extension::BackupItemAction>> backup_actions;
  std::map<std::string, Versioned<extension::RestoreItemAction>> restore_actions;
  std::map<std::string, std::unique_ptr<extension::DeleteItemAction>> delete_actions;
  std::map<std::string, std::unique_ptr<extension::ItemBlockAction>> block_actions;
};

using Registry = Plugins::Registry;

// Velero's words for it.
inline tl::unexpected<Error> no_such_plugin(const std::string& name) {
  return fail(Code::kNotFound, "plugin: " + name + " was not found or has an invalid name format");
}

template <class Map>
Result<typename Map::mapped_type*> find_plugin(Map& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) return no_such_plugin(name);
  return &found->second;
}

}  // namespace landfall::plugin_kit
