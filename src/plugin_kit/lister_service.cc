#include "plugin_kit/answer.h"
#include "plugin_kit/services.h"
#include "velero/plugin_lister.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

class Lister final : public generated::PluginLister::Service {
 public:
  explicit Lister(Registry& registry) : registry_(registry) {}

  // Kinds in the order of Velero's own plugins, names sorted.
  grpc::Status ListPlugins(grpc::ServerContext* /*context*/, const generated::Empty* /*request*/,
                           generated::ListPluginsResponse* response) override {
    list_actions(registry_.backup_actions, "BackupItemAction", *response);
    list(registry_.snapshotters, "VolumeSnapshotter", *response);
    list(registry_.stores, "ObjectStore", *response);
    list_actions(registry_.restore_actions, "RestoreItemAction", *response);
    list(registry_.delete_actions, "DeleteItemAction", *response);
    list(registry_.block_actions, "ItemBlockAction", *response);
    return grpc::Status::OK;
  }

 private:
  void add(const std::string& kind, const std::string& name, generated::ListPluginsResponse& response) const {
    generated::PluginIdentifier& one = *response.add_plugins();
    one.set_command(registry_.context.program);
    one.set_kind(kind);
    one.set_name(name);
  }
  template <class Map>
  void list(const Map& all, const std::string& kind, generated::ListPluginsResponse& response) const {
    for (const auto& [name, plugin] : all) add(kind, name, response);
  }
  template <class Map>
  void list_actions(const Map& all, const std::string& kind, generated::ListPluginsResponse& response) const {
    for (const bool is_second : {false, true}) {
      for (const auto& [name, plugin] : all) {
        if (plugin.is_second == is_second) add(is_second ? kind + "V2" : kind, name, response);
      }
    }
  }

  Registry& registry_;
};

}  // namespace

void add_lister_service(Registry& registry, Services& services) {
  services.push_back(std::make_unique<Lister>(registry));
}

}  // namespace landfall::plugin_kit
