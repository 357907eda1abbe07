#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "json/json.h"
#include "kube/resource.h"
#include "progress/progress.h"

namespace landfall::control {

// Writes progress into `status.progress` of a Backup or Restore, each time only what has changed. For one subscription:
// not thread-safe.
class ProgressWriter {
 public:
  // api::set_backup_progress or set_restore_progress.
  using Set = Status (*)(json::Json& object, const progress::ItemProgress& progress);

  // `object` as it is now. When it shows progress already, because an earlier process was at it, nothing is written
  // before the counts are where they were: they never go down. Another one of that name is left alone.
  ProgressWriter(kube::Resource objects, const json::Json& object, Set set);

  Status write(const progress::ItemProgress& progress, const std::stop_token& stop);

 private:
  bool is_behind(const progress::ItemCounts& counts) const;

  const kube::Resource objects_;
  const std::string name_;
  const std::string uid_;
  const Set set_;
  progress::ItemCounts shown_;  // by an earlier process
  json::Json written_ = json::Json::object();
};

}  // namespace landfall::control
