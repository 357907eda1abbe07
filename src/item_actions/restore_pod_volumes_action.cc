#include "item_actions/restore_pod_volumes_action.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "api/pod_volume.h"
#include "base/quantity.h"
#include "base/quote.h"
#include "base/strings.h"
#include "item_actions/restore_draft.h"
#include "item_actions/restore_lookup.h"
#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;
using json::StringMap;

constexpr const char* kName = "velero.io/pod-volume-restore";
constexpr const char* kWait = "restore-wait";
constexpr const char* kOldWait = "restic-wait";
constexpr const char* kDefaultImage = "velero/velero:latest";

// Of the backup's pods, by "namespace/name": the volumes that there are files of.
using VolumesByPod = std::map<std::string, std::set<std::string>>;

std::string text_or(const StringMap& settings, const char* key, std::string_view fallback) {
  const auto found = settings.find(key);
  return found == settings.end() || trim(found->second).empty() ? std::string(fallback)
                                                                : std::string(trim(found->second));
}

bool is_waiting(const Json& container) {
  const std::string name = json::string_or(container, {"name"}, "");
  return name == kWait || name == kOldWait;
}

// What the ConfigMap says; null when it says nothing.
Result<Json> configured_security(const StringMap& settings) {
  Json context;
  for (const auto& [key, field] :
       {std::pair("secCtxRunAsUser", "runAsUser"), std::pair("secCtxRunAsGroup", "runAsGroup")}) {
    const std::string text = text_or(settings, key, "");
    if (text.empty()) continue;
    TRY_ASSIGN(const std::int64_t number, key, parse_int64(text));
    context[field] = number;
  }
  constexpr const char* kEscalation = "secCtxAllowPrivilegeEscalation";
  if (const std::string text = to_lower(text_or(settings, kEscalation, "")); !text.empty()) {
    const bool is_true = text == "true" || text == "t" || text == "1";
    if (!is_true && text != "false" && text != "f" && text != "0") {
      return fail(Code::kInvalid, std::string(kEscalation) + ": expected true or false, got " + quote(text));
    }
    context["allowPrivilegeEscalation"] = is_true;
  }
  if (const std::string text = text_or(settings, "secCtx", ""); !text.empty()) {
    TRY_ASSIGN(const Json whole, "secCtx", json::parse_yaml(text));
    if (!whole.is_object()) return fail(Code::kInvalid, "secCtx: expected fields of a security context");
    context.update(whole);
  }
  return context;
}

Json restricted() {
  return {{"allowPrivilegeEscalation", false},
          {"capabilities", {{"drop", Json::array({"ALL"})}}},
          {"seccompProfile", {{"type", "RuntimeDefault"}}},
          {"runAsNonRoot", true},
          {"runAsUser", 1000}};
}

// What the pod may do, this container may do as well, and nothing more.
Json security_of(const Json& pod) {
  if (const Json* own = json::find(pod, {"spec", "containers", "0", "securityContext"})) return *own;
  Json context = restricted();
  const Json* user = json::find(pod, {"spec", "securityContext", "runAsUser"});
  const Json* group = json::find(pod, {"spec", "securityContext", "runAsGroup"});
  if (user != nullptr) context["runAsUser"] = *user;
  if (group != nullptr) context["runAsGroup"] = *group;
  if (user != nullptr && *user == 0) {
    context.erase("runAsNonRoot");
    if (const Json* said = json::find(pod, {"spec", "securityContext", "runAsNonRoot"})) {
      context["runAsNonRoot"] = *said;
    }
  }
  return context;
}

constexpr const char* kDefaultCpu = "100m";
constexpr const char* kDefaultMemory = "128Mi";

Json resources_of(const std::string& cpu_request, const std::string& memory_request, const std::string& cpu_limit,
                  const std::string& memory_limit) {
  return {{"requests", {{"cpu", cpu_request}, {"memory", memory_request}}},
          {"limits", {{"cpu", cpu_limit}, {"memory", memory_limit}}}};
}

// One that is wrong makes all of them the defaults, as in Velero: two of them could contradict each other.
Result<Json> configured_resources(const StringMap& settings) {
  const auto read = [&](const char* key, const char* fallback) -> Result<std::string> {
    std::string text = text_or(settings, key, fallback);
    TRY(key, Quantity::parse(text));
    return text;
  };
  TRY_ASSIGN(const std::string cpu_request, "", read("cpuRequest", kDefaultCpu));
  TRY_ASSIGN(const std::string memory_request, "", read("memRequest", kDefaultMemory));
  TRY_ASSIGN(const std::string cpu_limit, "", read("cpuLimit", kDefaultCpu));
  TRY_ASSIGN(const std::string memory_limit, "", read("memLimit", kDefaultMemory));
  const auto exceeds = [](const std::string& request, const std::string& limit) {
    return Quantity::parse(request).value() > Quantity::parse(limit).value();
  };
  if (exceeds(cpu_request, cpu_limit) || exceeds(memory_request, memory_limit)) {
    return fail(Code::kInvalid, "a request is greater than its limit");
  }
  return resources_of(cpu_request, memory_request, cpu_limit, memory_limit);
}

VolumesByPod volumes_by_pod(const std::vector<Json>* backups) {
  VolumesByPod volumes;
  if (backups == nullptr) return volumes;
  for (const Json& one : *backups) {
    if (json::string_or(one, {"status", "snapshotID"}, "").empty()) continue;
    volumes[json::string_or(one, {"spec", "pod", "namespace"}, "") + "/" +
            json::string_or(one, {"spec", "pod", "name"}, "")]
        .insert(json::string_or(one, {"spec", "volume"}, ""));
  }
  return volumes;
}

class Action final : public extension::RestoreItemAction {
 public:
  Action(PodVolumesActionContext context, std::shared_ptr<PluginConfigs> configs)
      : context_(std::move(context)), configs_(std::move(configs)), volumes_(volumes_by_pod(context_.volumes)) {}

  std::string name() const override { return kName; }
  extension::ActionScope scope() const override { return {.included_resources = {"pods"}}; }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    Draft pod(input.item);
    pod.erase_elements({"spec", "initContainers"}, is_waiting);
    RestoreActionResult result;
    const std::vector<std::string> volumes = volumes_of(input);
    if (!volumes.empty()) {
      TRY_ASSIGN(Json waiting, "", container(input, volumes, stop));
      Json containers = Json::array({std::move(waiting)});
      if (const Json* others = json::find(pod.now(), {"spec", "initContainers"});
          others != nullptr && others->is_array()) {
        for (const Json& other : *others) containers.push_back(other);
      }
      TRY("", pod.set({"spec", "initContainers"}, std::move(containers)));
    }
    result.changed = pod.take();
    return result;
  }

 private:
  std::vector<std::string> volumes_of(const RestoreActionInput& input) const {
    const k8s::ObjectView original(input.from_backup);
    const auto found = volumes_.find(fmt::format("{}/{}", original.name_space(), original.name()));
    std::vector<std::string> volumes;
    if (found == volumes_.end()) return volumes;
    for (const std::string& volume : found->second) {
      if (api::takes_files_back(input.item, volume)) volumes.push_back(volume);
    }
    return volumes;
  }

  Result<Json> container(const RestoreActionInput& input, const std::vector<std::string>& volumes,
                         const std::stop_token& stop) {
    TRY_ASSIGN(const auto settings, "", configs_->of(kName, stop));
    TRY_ASSIGN(const std::string image, "", image_of(*settings, stop));
    Json mounts = Json::array();
    for (const std::string& volume : volumes)
      mounts.push_back({{"name", volume}, {"mountPath", "/restores/" + volume}});
    const auto field = [](const char* path) { return Json{{"fieldRef", {{"fieldPath", path}}}}; };
    return Json{{"name", kWait},
                {"image", image},
                {"command", Json::array({text_or(*settings, "command", "/velero-restore-helper")})},
                {"args", Json::array({std::string(k8s::ObjectView(input.restore).uid())})},
                {"env", Json::array({{{"name", "POD_NAMESPACE"}, {"valueFrom", field("metadata.namespace")}},
                                     {{"name", "POD_NAME"}, {"valueFrom", field("metadata.name")}}})},
                {"volumeMounts", std::move(mounts)},
                {"resources", resources(*settings)},
                {"securityContext", security(input.item, *settings)}};
  }

  Json resources(const StringMap& settings) const {
    auto said = configured_resources(settings);
    if (said) return *std::move(said);
    context_.log.warning("Settings of restore-wait are wrong: its resources are the default", {LogField(said.error())});
    return resources_of(kDefaultCpu, kDefaultMemory, kDefaultCpu, kDefaultMemory);
  }

  Json security(const Json& pod, const StringMap& settings) const {
    auto said = configured_security(settings);
    if (said && said->is_object()) return *std::move(said);
    if (!said) {
      context_.log.warning("Settings of restore-wait are wrong: its security context is the default",
                           {LogField(said.error())});
    }
    return security_of(pod);
  }

  Result<std::string> image_of(const StringMap& settings, const std::stop_token& stop) {
    const std::string wanted = text_or(settings, "image", "");
    TRY_ASSIGN(const auto own, "image of the server",
               image_.get(context_.client.clock(), stop, [&] { return own_image(stop); }));
    const std::size_t slash = wanted.rfind('/');
    // As in Velero, a name without a registry does not count.
    if (!wanted.empty() && slash == std::string::npos) {
      context_.log.warning("The image for restore-wait has no registry in its name: the server's own is taken",
                           {{"image", wanted}});
    }
    if (slash == std::string::npos) return *own;
    // A name without a tag gets the server's.
    const std::string last = wanted.substr(slash + 1);
    if (contains(last, ":") || contains(last, "@")) return wanted;
    const std::string name = own->substr(own->rfind('/') + 1);
    const std::size_t colon = name.find(':');
    const bool has_tag = colon != std::string::npos && !contains(name, "@");
    return wanted + (has_tag ? name.substr(colon) : ":latest");
  }

  // Of the Deployment that Velero's installer makes; a server that runs elsewhere has none.
  Result<std::string> own_image(const std::stop_token& stop) const {
    const auto deployment =
        kube::Resource(context_.client, {"apps", "v1", "deployments"}, context_.name_space).get("velero", stop);
    if (!deployment && deployment.error().code() == Code::kNotFound) return std::string(kDefaultImage);
    if (!deployment) return fail("deployment velero", deployment.error());
    return json::string_or(*deployment, {"spec", "template", "spec", "containers", "0", "image"}, kDefaultImage);
  }

  const PodVolumesActionContext context_;
  const std::shared_ptr<PluginConfigs> configs_;
  const VolumesByPod volumes_;
  Lookup<std::string> image_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_pod_volumes_action(const PodVolumesActionContext& context,
                                                                              std::shared_ptr<PluginConfigs> configs) {
  return std::make_unique<Action>(context, std::move(configs));
}

}  // namespace landfall::item_actions
