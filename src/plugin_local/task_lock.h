#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "io/descriptor.h"

namespace landfall::plugin_local {

// Only who holds it works on a task or removes it. It is gone with the process that holds it, however that ends.
class TaskLock {
 public:
  // Nothing when somebody has it. `folder` is the task's.
  static Result<std::optional<TaskLock>> take(const std::string& folder);
  // Whether somebody has it; asking takes it from nobody.
  static Result<bool> is_held(const std::string& folder);

 private:
  explicit TaskLock(io::Descriptor file) : file_(std::move(file)) {}
  io::Descriptor file_;
};

}  // namespace landfall::plugin_local
