#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "io/process.h"
#include "kube/client.h"
#include "server/uploaders.h"

namespace landfall::agent {

// What `landfall node-agent server` is told.
struct AgentOptions {
  std::string name_space = "velero";
  std::string node;                           // whose volumes it copies
  std::string pods_directory = "/host_pods";  // the kubelet's pods, as this process sees them
  std::string metrics_address = ":8085";
  int concurrency = 1;  // transfers at a time
  Duration progress_interval = std::chrono::seconds(1);
  server::UploaderPrograms uploaders;
  Duration stop_grace = std::chrono::seconds(25);
};

// What the agent gets from the world. What it refers to outlives the run.
struct World {
  kube::Client& client;
  Clock& clock;
  Random& random;
  const Environment& environment;
  io::ProcessRunner& processes;
  Logger log;
  // Ends the process when something goes on past the grace of a stop.
  std::function<void()> end_process;
  // Optional: where it listens, once it does.
  std::function<void(const std::string& health_url)> on_listening;
};

// What cannot work, named by its flag.
Status check(const AgentOptions& options);

// The node agent: takes the PodVolumeBackups and -Restores of its node until the stop. Blocks.
Status run_agent(const AgentOptions& options, const World& world, const std::stop_token& stop);

}  // namespace landfall::agent
