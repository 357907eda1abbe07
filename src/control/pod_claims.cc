#include "control/pod_claims.h"

#include <utility>

#include "api/pod_volume.h"
#include "base/quote.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::control {

Result<std::optional<json::Json>> claim_of(kube::Client& client, const json::Json& pod, const std::string& volume,
                                           const std::stop_token& stop) {
  const json::Json* const found = api::volume_of(pod, volume);
  if (found == nullptr) return fail(Code::kNotFound, "the pod has no volume " + quote(volume));
  const std::string claim = json::string_or(*found, {"persistentVolumeClaim", "claimName"}, "");
  if (claim.empty()) return std::optional<json::Json>();
  const std::string name_space(k8s::ObjectView(pod).name_space());
  TRY_ASSIGN(json::Json object, "persistent volume claim " + quote(claim),
             kube::Resource(client, {"", "v1", "persistentvolumeclaims"}, name_space).get(claim, stop));
  return std::optional(std::move(object));
}

}  // namespace landfall::control
