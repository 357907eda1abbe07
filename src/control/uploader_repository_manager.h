#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "control/repository_manager.h"
#include "extension/uploader.h"

namespace landfall::control {

// Opens the repository of a namespace's volumes in a location.
using FindRepository = std::function<Result<extension::RepositoryAccess>(
    const json::Json& location, std::string_view type, const std::string& volume_namespace,
    const std::stop_token& stop)>;

// Prepares and maintains the repositories of an uploader.
class UploaderRepositoryManager final : public RepositoryManager {
 public:
  // The uploader is borrowed.
  UploaderRepositoryManager(extension::Uploader& uploader, FindRepository find_repository)
      : uploader_(uploader), find_repository_(std::move(find_repository)) {}

  std::string type() const override { return std::string(uploader_.type()); }
  // As Velero had it for restic. What is only read is not maintained.
  Duration maintenance_frequency() const override { return std::chrono::hours(24) * 7; }
  Result<std::string> prepare(const json::Json& repository, const FoundLocation& location, IfMissing if_missing,
                              const std::stop_token& stop) override;
  Status maintain(const json::Json& repository, const FoundLocation& location, const std::stop_token& stop) override;

 private:
  Result<extension::RepositoryAccess> access(const json::Json& repository, const FoundLocation& location,
                                             const std::stop_token& stop) const;

  extension::Uploader& uploader_;
  const FindRepository find_repository_;
};

}  // namespace landfall::control
