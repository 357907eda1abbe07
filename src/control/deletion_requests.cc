#include "control/deletion_requests.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "api/status.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;

Json deletion_request_for(const Json& backup) {
  const k8s::ObjectView view(backup);
  const std::string name(view.name());
  return {{"apiVersion", api::kDeleteBackupRequest.api_version()},
          {"kind", std::string(api::kDeleteBackupRequest.name)},
          {"metadata",
           {{"generateName", name + "-"},
            {"namespace", std::string(view.name_space())},
            {"labels",
             {{std::string(api::label::kBackupName), k8s::label_safe(name)},
              {std::string(api::label::kBackupUid), std::string(view.uid())}}}}},
          {"spec", {{"backupName", name}}}};
}

Result<std::vector<Json>> deletion_requests_of(const Context& context, std::string_view backup,
                                               const std::stop_token& stop) {
  const std::string selector = fmt::format("{}={}", api::label::kBackupName, k8s::label_safe(backup));
  TRY_ASSIGN(kube::ObjectList list, "list deletion requests",
             context.objects(api::kDeleteBackupRequest).list({.label_selector = selector}, stop));
  return std::move(list.items);
}

bool is_open_request(const Json& request) {
  return api::phase_of<api::DeletionPhase>(request) != api::DeletionPhase::kProcessed;
}

}  // namespace landfall::control
