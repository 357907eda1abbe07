#include "cli_admin/server_deployment.h"

#include <algorithm>

#include "api/labels.h"
#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "json/patch.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {

using json::Json;

namespace {

bool runs_the_server(const Json& deployment) {
  const Json* containers = json::find(deployment, {"spec", "template", "spec", "containers"});
  if (containers == nullptr || !containers->is_array()) return false;
  return std::ranges::any_of(
      *containers, [](const Json& container) { return json::string_or(container, {"name"}, "") == "velero"; });
}

Result<Json> find_server(const kube::Resource& deployments, const Context& context) {
  const std::string selector = std::string(api::label::kComponent) + "=velero";
  TRY_ASSIGN(const kube::ObjectList all, "list deployments",
             deployments.list({.label_selector = selector}, context.stop));
  const auto found = std::ranges::find_if(all.items, runs_the_server);
  if (found != all.items.end()) return *found;
  return fail(Code::kNotFound, "the server's Deployment was not found in namespace " + quote(deployments.name_space()) +
                                   " (label component=velero, container velero): is it another namespace (-n)?");
}

}  // namespace

Status change_server_deployment(kube::Client& client, const std::string& name_space,
                                const std::function<Status(Json& deployment)>& change, const Context& context) {
  constexpr int kTries = 5;
  const kube::Resource deployments(client, {"apps", "v1", "deployments"}, name_space);
  for (int tries = 1;; ++tries) {
    TRY_ASSIGN(const Json before, "", find_server(deployments, context));
    Json after = before;
    TRY("", change(after));
    Json patch = json::create_merge_patch(before, after);
    // Lists are replaced as a whole: somebody else's change would be undone without a word.
    const k8s::ObjectView view(before);
    patch["metadata"]["resourceVersion"] = std::string(view.resource_version());
    const auto patched = deployments.patch(std::string(view.name()), kube::PatchType::kMerge, patch, context.stop);
    if (patched) return {};
    if (patched.error().code() == Code::kConflict && tries < kTries) continue;
    return fail("deployment " + std::string(view.name()), patched.error());
  }
}

Json& pod_list(Json& deployment, const char* list) {
  Json& pod = deployment["spec"]["template"]["spec"];
  if (!pod[list].is_array()) pod[list] = Json::array();
  return pod[list];
}

}  // namespace landfall::cli
