#include "control/pod_volume_settings.h"

#include "api/labels.h"
#include "base/go_duration.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

Duration pod_volume_timeout(const json::Json& operation, const PodVolumeSettings& settings) {
  const auto text = k8s::ObjectView(operation).annotations().get(std::string(api::annotation::kPodVolumeTimeout));
  if (!text) return settings.timeout;
  const auto said = parse_go_duration(*text);
  return said && *said > Duration::zero() ? *said : settings.timeout;
}

}  // namespace landfall::control
