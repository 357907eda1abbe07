#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/config.h"

namespace landfall::kube {

// A named thing in one of the lists of a kubeconfig, as it was read. A value; immutable.
struct KubeconfigEntry {
  std::string file;                         // absolute: relative paths inside count from its folder
  std::string place;                        // `kubeconfig /x/config: users[1] "bob"`: how every error begins
  std::shared_ptr<const json::Json> value;  // what stands below "cluster", "user" or "context": an object

  // Fields; a missing one is empty or false. Errors name the place and the field and never show the value, which may
  // be a secret.
  Result<std::string> text(std::string_view field) const;
  Result<bool> flag(std::string_view field) const;
  // What stands below `field`-data, decoded, and the file that `field` names.
  Result<DataOrFile> data_or_file(const std::string& field) const;

  // The path, counted from the folder of the file. Empty stays empty.
  std::string resolve(const std::string& path) const;

  // An error of this entry.
  tl::unexpected<Error> error(std::string_view what) const;
};

// Put what the entry says into the configuration, and refuse what contradicts itself. They follow what kubectl takes
// and leave alone what they do not know.
Status read_cluster(const KubeconfigEntry& entry, Config& config);
// After the cluster: over plain HTTP no credentials are used.
Status read_user(const KubeconfigEntry& entry, Config& config);
Result<ExecPlugin> read_exec(const KubeconfigEntry& entry, const json::Json& exec);
// What a cluster's entry holds for exec plugins, as JSON; empty when there is nothing.
Result<std::string> read_exec_extension(const KubeconfigEntry& cluster);

}  // namespace landfall::kube
