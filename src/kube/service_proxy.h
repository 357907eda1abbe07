#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client.h"

namespace landfall::kube {

// A server in the cluster that is reached through the API server's proxy: with our credentials towards the API, and
// none towards the server behind it.
struct ProxyTarget {
  enum class Kind { kService, kPod };
  Kind kind = Kind::kService;
  std::string name_space;
  std::string name;
  std::string port;       // a number, or a service's port by name; empty: the only one
  bool uses_tls = false;  // the API server speaks HTTPS to it, and does not verify its certificate
};

// "/api/v1/namespaces/velero/services/https:landfall:8443/proxy/v1/x y" with the path escaped. The path is what the
// server is to see, not escaped yet; with "." or ".." as a part of it it could lead out of the proxy and is kInvalid.
Result<std::string> proxy_path(const ProxyTarget& target, std::string_view path);

// Both go through the proxy; call.path is the server's own. An error status of the server comes as an error like one of
// the API server itself; an ApiStatus with a reason is from a Kubernetes server.
Result<Answer> call_through_proxy(Client& client, const ProxyTarget& target, Call call, const std::stop_token& stop);
// As Client::stream().
Status stream_through_proxy(Client& client, const ProxyTarget& target, Call call, Duration idle,
                            const std::function<Result<bool>(std::string_view)>& on_bytes, const std::stop_token& stop);

}  // namespace landfall::kube
