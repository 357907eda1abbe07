#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "sandbox/server.h"

namespace landfall::sandbox {

class WorkLoop;

struct WorldOptions {
  // Nothing but what a kube-apiserver does by itself: definitions are looked after.
  bool is_api_server_alone = false;
  // Nodes, pods, workloads and volumes. Without them the world is that of a control plane alone: owners, namespaces and
  // definitions are looked after.
  bool workloads = true;
  // Where volumes and pods have their directories; it must exist. Only needed with workloads.
  std::filesystem::path data;
};

// The controllers of a sandbox, on one thread of their own. They begin with what is in the store and go on with what
// changes. What is passed by reference must outlive it; end it before the sandbox.
class World {
 public:
  World(Sandbox& sandbox, WorldOptions options, Clock& clock, const Logger& log);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Returns when all that was there has been looked at, or after a few seconds if that takes longer.
  void start();
  // Waits for the step that is under way.
  void stop();

 private:
  void add_controllers();
  void run(const std::stop_token& stop);

  Sandbox& sandbox_;
  Clock& clock_;
  const WorldOptions options_;
  std::unique_ptr<WorkLoop> loop_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace landfall::sandbox
