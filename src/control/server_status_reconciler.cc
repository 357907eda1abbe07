#include "control/server_status_reconciler.h"

#include "api/status.h"
#include "control/change.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;
using kube::Reconciled;

Result<Reconciled> ServerStatusReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  const kube::Resource requests = context_.objects(api::kServerStatusRequest);
  auto found = requests.get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return Reconciled{};
  TRY_ASSIGN(Json request, "", std::move(found));
  const k8s::ObjectView view(request);
  const auto phase = api::phase_of<api::RequestPhase>(request);
  if (view.is_being_deleted() || !phase) return Reconciled{};

  const WallTime now = context_.clock.wall_now();
  if (phase == api::RequestPhase::kProcessed) {
    const auto processed = api::status_time(request, api::field::kProcessedTimestamp);
    const WallTime ends = processed.value_or(view.creation_timestamp().value_or(now)) + settings_.keep_for;
    if (now < ends) return Reconciled{.again_after = ends - now};
    const auto removed = requests.remove(name.name, stop, {.uid = std::string(view.uid())});
    if (!removed && removed.error().code() != Code::kNotFound) {
      return fail("delete server status request " + name.name, removed.error());
    }
    return Reconciled{};
  }

  const Json before = request;
  Json plugins = Json::array();
  for (const Plugin& plugin : settings_.plugins) plugins.push_back({{"name", plugin.name}, {"kind", plugin.kind}});
  TRY("", api::set_phase(request, api::RequestPhase::kProcessed));
  TRY("", api::set_status_time(request, api::field::kProcessedTimestamp, now));
  TRY("", api::set_status_text(request, api::field::kServerVersion, settings_.server_version));
  request["status"]["plugins"] = std::move(plugins);
  TRY("", write_change(requests, before, request, stop));
  return Reconciled{.again_after = settings_.keep_for};
}

}  // namespace landfall::control
