#include "item_actions/restore_service_action.h"

#include <string>

#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "item_actions/restore_node_ports.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

Status remove_given_ports(Draft& service) {
  if (json::string_or(service.now(), {"spec", "type"}, "") == "ExternalName") return {};
  // Also where there is no node port: Velero fails over broken notes in any case.
  TRY_ASSIGN(const ChosenPorts chosen, "", ChosenPorts::of(service.now()));
  const Json* ports = json::find(service.now(), {"spec", "ports"});
  const std::size_t count = ports != nullptr && ports->is_array() ? ports->size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string index = std::to_string(i);
    const Json* port = json::find(service.now(), {"spec", "ports", index});
    if (port != nullptr && !chosen.has(*port)) service.erase({"spec", "ports", index, "nodePort"});
  }
  return {};
}

Status remove_given_health_check_port(Draft& service) {
  if (json::string_or(service.now(), {"spec", "externalTrafficPolicy"}, "") != "Local" ||
      json::string_or(service.now(), {"spec", "type"}, "") != "LoadBalancer" ||
      json::int_or(service.now(), {"spec", "healthCheckNodePort"}, 0) == 0) {
    return {};
  }
  TRY_ASSIGN(const bool is_chosen, "", is_health_check_port_chosen(service.now()));
  if (!is_chosen) service.erase({"spec", "healthCheckNodePort"});
  return {};
}

Result<RestoreActionResult> restore_service(const RestoreActionInput& input, bool preserves_ports) {
  Draft service(input.item);
  if (json::string_or(input.item, {"spec", "clusterIP"}, "") != "None") {
    service.erase({"spec", "clusterIP"});
    service.erase({"spec", "clusterIPs"});
  }
  if (!preserves_ports) {
    TRY("find out which node ports were chosen", remove_given_ports(service));
    TRY("find out whether the health check port was chosen", remove_given_health_check_port(service));
  }
  RestoreActionResult result;
  result.changed = service.take();
  return result;
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_service_action(const api::RestoreSpec& spec) {
  const bool preserves_ports = spec.preserve_node_ports.value_or(false);
  return make_function_action("velero.io/service", "services", [preserves_ports](const RestoreActionInput& input) {
    return restore_service(input, preserves_ports);
  });
}

}  // namespace landfall::item_actions
