#include "control/change.h"

#include <string>

#include "json/patch.h"
#include "k8s/object_view.h"

namespace landfall::control {

Status write_change(const kube::Resource& resource, const json::Json& before, json::Json& after,
                    const std::stop_token& stop, IfChanged if_changed) {
  json::Json patch = json::create_merge_patch(before, after);
  if (patch.empty()) return {};
  const k8s::ObjectView view(before);
  // Not to another object that has the name by now.
  if (!view.uid().empty()) patch["metadata"]["uid"] = std::string(view.uid());
  if (if_changed == IfChanged::kConflict) patch["metadata"]["resourceVersion"] = std::string(view.resource_version());
  const std::string name(view.name());
  TRY_ASSIGN(after, "write " + resource.id().resource + " " + name,
             resource.patch(name, kube::PatchType::kMerge, patch, stop));
  return {};
}

}  // namespace landfall::control
