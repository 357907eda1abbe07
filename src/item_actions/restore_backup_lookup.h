#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "item_actions/restore_lookup.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::item_actions {

// The Backup that is being restored, as the cluster has it: got when an item needs it for the first time. Lives as long
// as one restore. Thread-safe.
class BackupLookup {
 public:
  // Borrows the client.
  BackupLookup(kube::Client& client, std::string name_space, std::string name)
      : client_(client), name_space_(std::move(name_space)), name_(std::move(name)) {}

  Result<std::shared_ptr<const json::Json>> get(const std::stop_token& stop);

 private:
  kube::Client& client_;
  const std::string name_space_;
  const std::string name_;
  Lookup<json::Json> backup_;
};

}  // namespace landfall::item_actions
