#include "cli/server_version.h"

#include <chrono>

#include "api/names.h"
#include "api/phases.h"
#include "api/status.h"
#include "base/strings.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {

using json::Json;

namespace {

constexpr Duration kPatience = std::chrono::seconds(5);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);

}  // namespace

Result<Json> ask_server(kube::Client& client, const std::string& name_space, Duration patience,
                        const Context& context) {
  const kube::Resource requests(client, api::kServerStatusRequest.resource(), name_space);
  const Json wanted = {{"apiVersion", api::kServerStatusRequest.api_version()},
                       {"kind", std::string(api::kServerStatusRequest.name)},
                       {"metadata", {{"generateName", "velero-cli-"}, {"namespace", name_space}}},
                       {"spec", Json::object()}};
  TRY_ASSIGN(Json request, "ask the server about itself", requests.create(wanted, context.stop));
  const std::string name(k8s::ObjectView(request).name());
  const SteadyTime deadline = context.clock.after(patience);
  while (api::phase_of<api::RequestPhase>(request) != api::RequestPhase::kProcessed) {
    if (context.clock.now() >= deadline) {
      return fail(Code::kTimeout, "no server answers in namespace " + quote(name_space) +
                                      ": see that one is running there, or name its namespace with -n");
    }
    if (!context.clock.sleep_for(kBetweenLooks, context.stop)) return fail(Code::kCancelled, "stopped");
    TRY_ASSIGN(request, "ask the server about itself", requests.get(name, context.stop));
  }
  return request;
}

Result<std::string> ask_server_version(kube::Client& client, const std::string& name_space, const Context& context) {
  TRY_ASSIGN(const Json status, "", ask_server(client, name_space, kPatience, context));
  return api::status_text(status, api::field::kServerVersion);
}

bool is_landfall(const std::string& server_version) { return contains(server_version, "+landfall"); }

}  // namespace landfall::cli
