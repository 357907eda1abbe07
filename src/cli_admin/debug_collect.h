#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "cli/global_flags.h"
#include "cli_admin/debug_bundle.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "kube/client.h"

namespace landfall::cli {

// Runs another command line of ours, with its output going there; its error is what it would have printed.
using RunWords = std::function<Status(const std::vector<std::string>& words, io::Writer& out)>;

// What goes into a debug bundle. Parts that cannot be had are noted as missing; errors are those of writing the bundle.
// Everything is borrowed.
class DebugCollector {
 public:
  DebugCollector(kube::Client& client, const GlobalFlags& global, const Context& context, DebugBundle& bundle,
                 RunWords run, std::function<void(const std::string&)> say)
      : client_(client),
        global_(global),
        context_(context),
        bundle_(bundle),
        run_(std::move(run)),
        say_(std::move(say)) {}

  Status versions();
  // Every velero.io object of the namespace, and the workloads that are Velero's.
  Status objects();
  Status events();
  // Of the server, the node agents and the pods that move data.
  Status pod_logs();
  // "backup" or "restore": describe --details and logs.
  Status operation(const std::string& kind, const std::string& name);

 private:
  Status objects_of(const k8s::GroupVersionResource& resource, const std::string& selector);
  Status logs_of(const json::Json& pod);

  kube::Client& client_;
  const GlobalFlags& global_;
  const Context& context_;
  DebugBundle& bundle_;
  const RunWords run_;
  const std::function<void(const std::string&)> say_;
};

}  // namespace landfall::cli
