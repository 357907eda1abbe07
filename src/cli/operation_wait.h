#pragma once

#include <optional>

#include "base/result.h"
#include "cli/context.h"
#include "cli/operation_display.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::cli {

struct WaitOptions {
  std::optional<bool> colorized;  // GlobalFlags::colorized
  DisplayForm form = DisplayForm::kForPeople;
};

// Shows how far a Backup or Restore is until it has ended, and returns it as it is then; at once where it has ended
// already. By watches: nothing is asked again and again. Ctrl-c ends the waiting, not the operation (kCancelled, says
// how to return). A cluster that cannot be reached for a while is waited for; an operation that is gone is kNotFound.
Result<json::Json> await_operation(const kube::Resource& operations, const json::Json& operation,
                                   const Context& context, const WaitOptions& options = {});

// The same, then says how it ended and ends so: all of `--wait` and `watch`.
Status wait_and_report(const kube::Resource& operations, const json::Json& operation, const Context& context,
                       const WaitOptions& options = {});

}  // namespace landfall::cli
