#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "api/names.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "extension/uploader.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/resource.h"

namespace landfall::agent {

// What the reconcilers of a node agent work with. All of it outlives them.
struct AgentContext {
  kube::Client& client;
  std::string name_space;                     // the server's
  std::string node;                           // the one that this agent is for
  std::string pods_directory = "/host_pods";  // the kubelet's, as this process sees it
  Clock& clock;
  Logger log;
  std::vector<extension::Uploader*> uploaders;
  // Opens the repository of the volumes of a namespace, in a BackupStorageLocation by its name.
  std::function<Result<extension::RepositoryAccess>(const std::string& location, std::string_view type,
                                                    const std::string& volume_namespace, const std::stop_token& stop)>
      find_repository;
  Duration progress_interval = std::chrono::seconds(1);
  // How often a repository is tried that somebody has for himself, and for how long: maintenance ends, and the lock of
  // a dead process counts no more after half an hour.
  Duration locked_retry = std::chrono::seconds(5);
  Duration locked_patience = std::chrono::hours(1);

  kube::Resource objects(const api::Kind& kind) const { return {client, kind.resource(), name_space}; }
  // Null for a type that nobody here knows.
  extension::Uploader* uploader(std::string_view type) const {
    for (extension::Uploader* one : uploaders) {
      if (one->type() == type) return one;
    }
    return nullptr;
  }
};

// Whether the API server may say something else when it is asked again.
inline bool may_pass(Code code) { return is_retryable(code) || code == Code::kConflict || code == Code::kInternal; }

}  // namespace landfall::agent
