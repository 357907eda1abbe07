#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "k8s/kinds.h"

namespace landfall::k8s {

// Where the API server keeps things. Names come from archives and command lines, so a name that would lead elsewhere
// ("..", "a/b") is refused with kInvalid, as Kubernetes' own client does. Pure.

// "/apis/apps/v1", or "/api/v1" for the core group.
Result<std::string> api_path(const GroupVersion& api);

// "/apis/apps/v1/namespaces/shop/deployments": to list, watch or create. Without a namespace it is the path of a
// cluster-scoped kind, or of a list over all namespaces.
Result<std::string> collection_path(const GroupVersionResource& resource, std::string_view name_space);

// "/apis/apps/v1/namespaces/shop/deployments/web/status". An empty name is refused: without it a deletion of one object
// would be a deletion of all. No namespace for cluster-scoped kinds; a Namespace itself is addressed by name alone.
Result<std::string> object_path(const GroupVersionResource& resource, std::string_view name_space,
                                std::string_view name, std::string_view subresource = {});

// Escapes what may not stand in the path of a URL, the same bytes as Go's net/url. A slash is left alone.
std::string escape_path(std::string_view path);

}  // namespace landfall::k8s
