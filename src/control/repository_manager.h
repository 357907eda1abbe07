#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "control/locations.h"
#include "json/json_fwd.h"

namespace landfall::control {

// Works on the repositories of one type, which hold the files of volumes. Whoever brings an uploader brings one of
// these. Thread-safe; calls may take long, and end soon after a stop.
class RepositoryManager {
 public:
  RepositoryManager() = default;
  RepositoryManager(const RepositoryManager&) = delete;
  RepositoryManager& operator=(const RepositoryManager&) = delete;
  virtual ~RepositoryManager() = default;

  // spec.repositoryType: "kopia", "restic"
  virtual std::string type() const = 0;
  // For repositories that do not say.
  virtual Duration maintenance_frequency() const = 0;

  enum class IfMissing { kFail, kCreate };
  // Opens the repository of a BackupRepository to see that it can be used. Again and again: one that is there stays.
  // Returns what the program of the repository calls it (spec.resticIdentifier); empty where nobody writes that down.
  virtual Result<std::string> prepare(const json::Json& repository, const FoundLocation& location, IfMissing if_missing,
                                      const std::stop_token& stop) = 0;
  // Frees what nobody needs any more.
  virtual Status maintain(const json::Json& repository, const FoundLocation& location, const std::stop_token& stop) = 0;
};

}  // namespace landfall::control
