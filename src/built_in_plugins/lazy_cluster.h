#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "io/process.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::built_in_plugins {

// A cluster as item actions need it.
struct Cluster {
  std::unique_ptr<io::ProcessRunner> processes;
  std::unique_ptr<kube::Connection> connection;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<kube::Discovery> discovery;
};

// One that cannot be reached, to make actions with that are only asked what they are for.
Result<std::unique_ptr<Cluster>> nowhere(Clock& clock);

// The one of the environment, connected to when it is first needed: a server that only wants to know what there is to
// offer must not need a cluster. Thread-safe; lives as long as the program.
class LazyCluster {
 public:
  LazyCluster(Environment environment, Clock& clock, Logger log);

  // Tried again after a failure.
  Result<std::shared_ptr<Cluster>> get(const std::stop_token& stop);
  std::string name_space() const { return environment_.get_or("VELERO_NAMESPACE", "velero"); }
  const Logger& log() const { return log_; }

 private:
  const Environment environment_;
  Clock& clock_;
  const Logger log_;
  Guarded<std::shared_ptr<Cluster>> cluster_;
};

}  // namespace landfall::built_in_plugins
