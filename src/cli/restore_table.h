#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "json/json_fwd.h"

namespace landfall::cli {

struct RestoreTableOptions {
  bool wide = false;         // with how far they are
  bool show_labels = false;  // all of them, in a column
  std::vector<std::string> label_columns;
};

// Restores as Velero's table shows them, in the order given.
std::string restore_table(const std::vector<json::Json>& restores, const RestoreTableOptions& options,
                          const Context& context);

}  // namespace landfall::cli
