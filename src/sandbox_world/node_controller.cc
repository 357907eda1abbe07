#include "sandbox_world/node_controller.h"

#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kClassKey = "class";
constexpr std::string_view kNodeKey = "node";

Json resources() {
  return {{"cpu", "8"},           {"memory", "16Gi"},    {"pods", "1000"}, {"ephemeral-storage", "100Gi"},
          {"hugepages-1Gi", "0"}, {"hugepages-2Mi", "0"}};
}

void set_node_status(Json& node, const std::string& now) {
  Json& status = node["status"];
  status["capacity"] = resources();
  status["allocatable"] = resources();
  status["addresses"] =
      Json::array({{{"type", "InternalIP"}, {"address", "127.0.0.1"}}, {{"type", "Hostname"}, {"address", kNodeName}}});
  status["nodeInfo"] = {{"architecture", "amd64"},
                        {"bootID", ""},
                        {"containerRuntimeVersion", "sandbox://1"},
                        {"kernelVersion", ""},
                        {"kubeProxyVersion", ""},
                        {"kubeletVersion", "v1.34.4"},
                        {"machineID", ""},
                        {"operatingSystem", "linux"},
                        {"osImage", "Landfall sandbox"},
                        {"systemUUID", ""}};
  status["daemonEndpoints"] = {{"kubeletEndpoint", {{"Port", 0}}}};
  set_condition(node, "MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
                now);
  set_condition(node, "DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure", now);
  set_condition(node, "PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available", now);
  set_condition(node, "Ready", true, "KubeletReady", "kubelet is posting ready status", now);
}

}  // namespace

void NodeController::start(WorkQueue& queue) {
  queue.add(std::string(kClassKey));
  queue.add(std::string(kNodeKey));
}

void NodeController::observe(const k8s::GroupResource&, const Change& change, WorkQueue& queue) {
  if (change.object->name() == kNodeName) queue.add(std::string(kNodeKey));
}

Status NodeController::reconcile(const std::string& key, WorkQueue&) {
  return key == kClassKey ? ensure_class() : ensure_node();
}

Status NodeController::ensure_node() const {
  std::optional<Json> node = cluster_.get(kinds().nodes, "", kNodeName);
  if (!node) {
    const Json object = {{"metadata",
                          {{"name", kNodeName},
                           {"labels",
                            {{"kubernetes.io/hostname", kNodeName},
                             {"kubernetes.io/os", "linux"},
                             {"kubernetes.io/arch", "amd64"},
                             {"beta.kubernetes.io/os", "linux"},
                             {"beta.kubernetes.io/arch", "amd64"}}},
                           {"annotations", {{std::string(kDataAnnotation), directories_.root().string()}}}}},
                         {"spec", {{"podCIDR", "10.244.0.0/24"}, {"podCIDRs", Json::array({"10.244.0.0/24"})}}}};
    TRY_ASSIGN(node, "create the node", cluster_.create(kinds().nodes, "", object));
  } else {
    // A sandbox that goes on from a snapshot may have its folder elsewhere.
    TRY("", cluster_.modify(kinds().nodes, *node, [&](Json& live) -> Status {
      return k8s::set_annotation(live, kDataAnnotation, directories_.root().string());
    }));
  }
  return cluster_.modify_status(kinds().nodes, *node, [&](Json& live) -> Status {
    set_node_status(live, cluster_.now_text());
    return {};
  });
}

Status NodeController::ensure_class() const {
  // In a snapshot's world the node is there already, and with it the class, unless someone removed that.
  if (cluster_.get(kinds().nodes, "", kNodeName)) return {};
  const Json object = {
      {"metadata",
       {{"name", kDefaultClass}, {"annotations", {{"storageclass.kubernetes.io/is-default-class", "true"}}}}},
      {"provisioner", kProvisioner},
      {"reclaimPolicy", "Delete"},
      {"volumeBindingMode", "Immediate"}};
  const auto made = cluster_.create(kinds().storage_classes, "", object);
  if (!made && made.error().code() != Code::kAlreadyExists) return fail("create the storage class", made.error());
  return {};
}

}  // namespace landfall::sandbox
