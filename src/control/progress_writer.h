#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "json/json.h"
#include "kube/resource.h"
#include "progress/progress.h"

namespace landfall::control {

// Writes progress into `status.progress` of a Backup, each time only what has changed. For one subscription: not
// thread-safe.
class ProgressWriter {
 public:
  // The object has no progress yet. Another one of that name is left alone.
  ProgressWriter(kube::Resource backups, std::string name, std::string uid)
      : backups_(std::move(backups)), name_(std::move(name)), uid_(std::move(uid)) {}

  Status write(const progress::ItemProgress& progress, const std::stop_token& stop);

 private:
  const kube::Resource backups_;
  const std::string name_;
  const std::string uid_;
  json::Json written_ = json::Json::object();
};

}  // namespace landfall::control
