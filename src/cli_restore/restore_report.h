#pragma once

#include <string>

#include "cli_restore/restore_local.h"
#include "operation/results.h"

namespace landfall::cli {

struct RestoreReportOptions {
  std::string name;
  std::string backup;
  std::string log_path;
  bool details = false;  // every warning and error, not only the first ones
};

// What a run without a server ended with: how it went, what became of the items, what went wrong with which object and
// what can be done about it, and where the log is.
std::string restore_report(const LocalRestore::Outcome& outcome, const RestoreReportOptions& options);

}  // namespace landfall::cli
