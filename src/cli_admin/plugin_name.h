#pragma once

#include <string>
#include <string_view>

namespace landfall::cli {

// What Velero calls the init container of a plugin: the image without its registry, tag and digest, as a name that
// Kubernetes takes: "ghcr.io/velero/velero-plugin-for-aws:v1" is "velero-velero-plugin-for-aws".
std::string plugin_container_name(std::string_view image);

}  // namespace landfall::cli
