#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::api {

// The way to an artifact for those who cannot reach its address: through the API server, to the pod of the server that
// answered the DownloadRequest. Velero's servers name none. It stands in an annotation: Velero's own definitions drop
// fields of status that they do not know.
struct ArtifactRoute {
  std::string pod;  // in the namespace of the request
  std::uint16_t port = 0;
  std::string path;   // "/artifacts"
  std::string token;  // whoever holds it can read the artifact: it belongs into no log

  friend bool operator==(const ArtifactRoute&, const ArtifactRoute&) = default;
};

inline constexpr std::string_view kArtifactRouteAnnotation = "landfall.dev/artifact-route";

Status set_artifact_route(json::Json& request, const ArtifactRoute& route);
// Nothing where there is none, or none that makes sense.
std::optional<ArtifactRoute> artifact_route_of(const json::Json& request);

}  // namespace landfall::api
