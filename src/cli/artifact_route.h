#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/artifact_route.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/context.h"
#include "io/http_client.h"
#include "kube/client.h"

namespace landfall::cli {

// The way to an artifact that needs nothing but the API server: its proxy leads to the endpoint of the server that
// answered the request. Everything is borrowed.
class ArtifactProxy {
 public:
  ArtifactProxy(kube::Client& client, std::string name_space, const Context& context)
      : client_(client), name_space_(std::move(name_space)), context_(context) {}

  struct Terms {
    bool follows = false;      // a log as it grows
    SteadyTime head_deadline;  // until the answer begins
    Duration idle = Duration::max();
  };
  // What the endpoint sends. kNotFound when it says that there is no such file; kUnavailable, with the reason, for
  // whatever is wrong with the way: no such pod, no right to use the proxy, a server that has been started anew.
  Result<std::unique_ptr<io::HttpDownload>> open(const api::ArtifactRoute& route, const Terms& terms) const;

 private:
  struct Refusal;
  Result<std::unique_ptr<io::HttpDownload>> ask(const std::string& pod, const api::ArtifactRoute& route,
                                                const Terms& terms, Refusal& refusal) const;
  // Pods that may be the server's, where the one that was named is none: in a pod with the network of its node the
  // server cannot know its name.
  std::vector<std::string> candidates() const;

  kube::Client& client_;
  const std::string name_space_;
  const Context& context_;
};

}  // namespace landfall::cli
