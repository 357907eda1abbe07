#pragma once

#include <grpcpp/impl/service_type.h>

#include <functional>
#include <memory>
#include <vector>

#include "plugin_kit/registry.h"

// Each service of the protocol, answered by what is registered. One function a file; for .cc files only.
namespace landfall::plugin_kit {

using Services = std::vector<std::unique_ptr<grpc::Service>>;

void add_lister_service(Registry& registry, Services& services);
void add_object_store_service(Registry& registry, Services& services);
void add_snapshotter_services(Registry& registry, Services& services);
void add_backup_action_services(Registry& registry, Services& services);
void add_restore_action_services(Registry& registry, Services& services);
void add_other_action_services(Registry& registry, Services& services);
// Health, the end, and the streams of the program, which are always empty. `on_shutdown` must return at once.
void add_support_services(Registry& registry, std::function<void()> on_shutdown, Services& services);

}  // namespace landfall::plugin_kit
