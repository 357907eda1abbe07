#include "api/artifact_route.h"

#include <limits>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::api {

using json::Json;

Status set_artifact_route(Json& request, const ArtifactRoute& route) {
  const Json value = {{"pod", route.pod}, {"port", route.port}, {"path", route.path}, {"token", route.token}};
  return k8s::set_annotation(request, kArtifactRouteAnnotation, json::dump(value));
}

std::optional<ArtifactRoute> artifact_route_of(const Json& request) {
  const auto text = k8s::ObjectView(request).annotations().get(std::string(kArtifactRouteAnnotation));
  if (!text) return std::nullopt;
  const auto value = json::parse(*text);
  if (!value) return std::nullopt;
  const std::int64_t port = json::int_or(*value, {"port"}, 0);
  ArtifactRoute route{.pod = json::string_or(*value, {"pod"}, ""),
                      .path = json::string_or(*value, {"path"}, ""),
                      .token = json::string_or(*value, {"token"}, "")};
  if (port < 1 || port > std::numeric_limits<std::uint16_t>::max() || route.pod.empty() || route.path != "/artifacts" ||
      route.token.empty()) {
    return std::nullopt;
  }
  route.port = static_cast<std::uint16_t>(port);
  return route;
}

}  // namespace landfall::api
