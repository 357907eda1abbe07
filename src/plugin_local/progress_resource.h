#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "plugin_local/task.h"

namespace landfall::plugin_local {

// The name under which the plugin is registered.
inline constexpr std::string_view kPluginName = "landfall.dev/local";

// The VolumePluginBackup or -Restore of one task, in the server's namespace. Not thread-safe.
class ProgressResource {
 public:
  // By the kubeconfig or the service account that the environment names; does not connect yet.
  static Result<std::unique_ptr<ProgressResource>> open(const Environment& environment, Clock& clock);
  ~ProgressResource();
  ProgressResource(const ProgressResource&) = delete;
  ProgressResource& operator=(const ProgressResource&) = delete;

  struct Written {
    std::string name;
    bool is_cancelled = false;  // somebody has set spec.cancel
  };
  // Makes it at first (a task that has a resource already has it written over) and then brings it up to date. One that
  // the server has made meanwhile is taken over, and the server told so. It is kGone when somebody has deleted it: it
  // is not made again.
  Result<Written> write(const Task& task, const std::stop_token& stop);

 private:
  struct Impl;
  explicit ProgressResource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::plugin_local
