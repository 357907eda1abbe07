#include "cli_admin/install_definitions.h"

#include <chrono>
#include <vector>

#include "api/definitions.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

const k8s::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

// Velero's command line waits as long.
constexpr Duration kPatience = std::chrono::minutes(1);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);

// Waits until the server serves the kind.
Status await_established(const kube::Resource& definitions, const std::string& name, SteadyTime deadline,
                         const Context& context) {
  while (true) {
    TRY_ASSIGN(const Json found, "", definitions.get(name, context.stop));
    if (k8s::ObjectView(found).is_condition_true("Established")) return {};
    if (context.clock.now() >= deadline) return fail(Code::kTimeout, "the server has not established it in time");
    if (!context.clock.sleep_for(kBetweenLooks, context.stop)) return fail(Code::kCancelled, "stopped");
  }
}

}  // namespace

Status install_definitions(kube::Client& client, const Context& context,
                           const std::function<Status(const std::string& name)>& on_applied) {
  const std::vector<Json> objects = api::custom_resource_definitions();
  const kube::Resource definitions(client, kDefinitions);
  for (const Json& object : objects) {
    const std::string name(k8s::ObjectView(object).name());
    TRY("CustomResourceDefinition " + name, definitions.patch(name, kube::PatchType::kApply, object, context.stop,
                                                              {.field_manager = "landfall", .force = true}));
    TRY("", on_applied(name));
  }
  const SteadyTime deadline = context.clock.after(kPatience);
  for (const Json& object : objects) {
    const std::string name(k8s::ObjectView(object).name());
    TRY("CustomResourceDefinition " + name, await_established(definitions, name, deadline, context));
  }
  return {};
}

}  // namespace landfall::cli
