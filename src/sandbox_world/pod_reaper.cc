#include "sandbox_world/pod_reaper.h"

#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {

Status PodReaper::reconcile(const std::string& key, WorkQueue&) {
  const auto [name_space, name] = split_key(key);
  const std::optional<json::Json> pod = cluster_.get(kinds().pods, name_space, name);
  if (!pod || !k8s::ObjectView(*pod).is_being_deleted()) return {};
  return cluster_.remove(kinds().pods, *pod, {.grace_period_seconds = 0});
}

}  // namespace landfall::sandbox
