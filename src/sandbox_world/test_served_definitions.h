#pragma once

#include <memory>
#include <thread>

#include "base/log.h"
#include "sandbox/server.h"
#include "sandbox_world/definition_controller.h"
#include "sandbox_world/work_loop.h"

namespace landfall::sandbox {

// The one controller that a kube-apiserver has itself: it serves what CustomResourceDefinitions define. Ends with its
// life, which must be shorter than that of the sandbox.
class ServedDefinitions {
 public:
  explicit ServedDefinitions(Sandbox& sandbox)
      : loop_(sandbox.store(), system_clock(), Logger()), thread_([this, &sandbox](const std::stop_token& stop) {
          loop_.add(std::make_unique<DefinitionController>(
              Cluster(sandbox.api(), "kube-controller-manager"),
              [this](const k8s::GroupResource& resource) { loop_.follow(resource); },
              [this](const k8s::GroupResource& resource) { loop_.unfollow(resource); }));
          loop_.follow(kinds().definitions.storage);
          loop_.run(stop);
        }) {}

 private:
  WorkLoop loop_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace landfall::sandbox
