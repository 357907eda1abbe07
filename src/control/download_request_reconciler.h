#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.h"
#include "control/artifact_tokens.h"
#include "control/context.h"
#include "json/json_fwd.h"
#include "kube/controller.h"

namespace landfall::control {

// Answers DownloadRequests: an address for one artifact of a Backup or Restore, good for a while, and then removed with
// the request.
//
// Stores that can sign give the address themselves. For the others, and for the log of an operation that this process
// is at, it is that of ArtifactEndpoint. Velero's clients wait for an address until they give up, and a request has no
// field for an error; so where there is no such thing (no Backup, no location, one that cannot be opened) they get an
// address of the endpoint too, which says so: at once, and with the 404 that they understand. Nobody checks beforehand
// whether the artifact is there; the address does.
//
// A server that runs in a pod also says how its own endpoint is reached through the API server (api::ArtifactRoute),
// whatever the address is: for clients that have no way to the bucket or to the pod network.
class DownloadRequestReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    // Where clients reach ArtifactEndpoint: "http://velero.velero.svc:8086". Empty: there is none, and what needs it
    // stays without an answer.
    std::string endpoint_url;
    // The pod that this process runs in, and the endpoint's port there. Empty: in none.
    std::string pod;
    std::uint16_t endpoint_port = 0;
    std::chrono::seconds valid_for = std::chrono::minutes(10);
  };

  // The tokens must outlive it.
  DownloadRequestReconciler(const Context& context, const ArtifactTokens& tokens, Settings settings)
      : context_(context), tokens_(tokens), settings_(std::move(settings)) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Status answer(json::Json& request, const std::stop_token& stop) const;
  Result<std::string> url_of(const ArtifactGrant& grant, const std::stop_token& stop) const;
  Result<std::string> location_of(api::DownloadTarget target, const std::string& name,
                                  const std::stop_token& stop) const;
  Result<std::string> default_location(const std::stop_token& stop) const;
  Result<std::string> sign(const ArtifactGrant& grant, const std::stop_token& stop) const;

  const Context context_;
  const ArtifactTokens& tokens_;
  const Settings settings_;
};

}  // namespace landfall::control
