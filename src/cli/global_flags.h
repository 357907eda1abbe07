#pragma once

#include <optional>
#include <string>
#include <vector>

namespace landfall::cli {

// Flags that every command takes. A command that talks to no cluster has no use for most of them.
struct GlobalFlags {
  std::string kubeconfig;
  std::string kubecontext;
  std::string namespace_name;  // resolved: flag, client configuration, VELERO_NAMESPACE, "velero"
  std::vector<std::string> features;
  std::optional<bool> colorized;
};

}  // namespace landfall::cli
