#include "restore/error_hint.h"

#include "base/strings.h"
#include "kube/api_status.h"

namespace landfall::restore {

std::string hint_for(const Error& error) {
  const auto says = [text = to_lower(error.message())](std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  if (says("exceeded quota")) return "; raise the ResourceQuota of the namespace, then restore this item again";
  if (says("admission webhook") || says("failed calling webhook")) {
    return "; change what the webhook refuses with a resource modifier, or switch the webhook off for the restore";
  }
  if (says("being terminated")) return "; the namespace is being deleted: restore again once it is gone";
  if (says("service account") && says("not found")) return "; restore the ServiceAccount with it";
  if (says("no matches for kind") || says("could not find the requested resource")) {
    return "; the cluster does not serve this version of the kind: install its definition, or choose another version "
           "with the feature EnableAPIGroupVersions";
  }
  if (says("port is already allocated"))
    return "; another Service has that node port: change it with a resource modifier";
  switch (error.code()) {
    case Code::kForbidden:
      return "; the server's role does not allow it, or an admission rule refuses it";
    case Code::kUnauthenticated:
      return "; the server's credentials are not accepted any more";
    case Code::kTimeout:
    case Code::kUnavailable:
    case Code::kThrottled:
      return "; the API server did not answer in time: restore again when it does, what is there is left alone";
    default:
      return "";
  }
}

}  // namespace landfall::restore
