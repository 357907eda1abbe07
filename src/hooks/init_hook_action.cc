#include "hooks/init_hook_action.h"

#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::hooks {
namespace {

using json::Json;

// Holds a pod back until the data of its volumes is there; the other is the name it had long ago.
constexpr std::string_view kRestoreWait = "restore-wait";
constexpr std::string_view kResticWait = "restic-wait";

std::string name_of(const Json& container) { return json::string_or(container, {"name"}, ""); }

bool is_wait(const Json& container) {
  const std::string name = name_of(container);
  return name == kRestoreWait || name == kResticWait;
}

// What hooks are chosen by, with the namespace that the pod will have.
Json as_in_cluster(const Json& pod, const json::StringMap& namespace_mapping) {
  const Json* metadata = json::find(pod, {"metadata"});
  Json seen = {{"metadata", metadata == nullptr ? Json::object() : *metadata}};
  const auto mapped = namespace_mapping.find(std::string(k8s::ObjectView(pod).name_space()));
  if (mapped != namespace_mapping.end()) seen["metadata"]["namespace"] = mapped->second;
  return seen;
}

// A pod that an earlier restore has made has them already: those are replaced.
Json with_hooks(const Json& present, std::vector<Json> hooks) {
  Json all = Json::array();
  const auto is_replaced = [&](const Json& container) {
    return std::ranges::any_of(hooks, [&](const Json& hook) { return name_of(hook) == name_of(container); });
  };
  const bool waits = !present.empty() && is_wait(present.front());
  if (waits) all.push_back(present.front());
  std::vector<Json> rest;
  for (std::size_t i = waits ? 1 : 0; i < present.size(); ++i) {
    if (!is_replaced(present[i])) rest.push_back(present[i]);
  }
  for (Json& hook : hooks) all.push_back(std::move(hook));
  for (Json& container : rest) all.push_back(std::move(container));
  return all;
}

class InitHookAction final : public extension::RestoreItemAction {
 public:
  InitHookAction(RestoreHooks hooks, json::StringMap namespace_mapping)
      : hooks_(std::move(hooks)), namespace_mapping_(std::move(namespace_mapping)) {}

  std::string name() const override { return std::string(kInitHookAction); }
  extension::ActionScope scope() const override { return {.included_resources = {"pods"}}; }

  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token&) override {
    extension::RestoreActionResult result;
    std::vector<Json> hooks = hooks_.init_containers(as_in_cluster(input.item, namespace_mapping_));
    if (hooks.empty()) return result;
    const Json* present = json::find(input.item, {"spec", "initContainers"});
    if (present != nullptr && !present->is_array()) {
      return fail(Code::kInvalid,
                  "spec.initContainers: expected a list, got " + std::string(json::type_name(*present)));
    }
    auto changed = std::make_unique<Json>(input.item);
    TRY("", json::set_at(*changed, {"spec", "initContainers"},
                         with_hooks(present == nullptr ? Json::array() : *present, std::move(hooks))));
    result.changed = std::move(changed);
    return result;
  }

 private:
  const RestoreHooks hooks_;
  const json::StringMap namespace_mapping_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_init_hook_action(RestoreHooks hooks,
                                                                    json::StringMap namespace_mapping) {
  return std::make_unique<InitHookAction>(std::move(hooks), std::move(namespace_mapping));
}

}  // namespace landfall::hooks
