#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/context.h"
#include "control/plugin_transfer.h"
#include "json/json.h"
#include "operation/item_operation.h"

// VolumePluginRestores that come when the run of their restore is over: a plugin may write one at any time until the
// restore is final.
namespace landfall::control {

struct LateVolume {
  PluginTransfer transfer;
  TransferSight sight;
};
// Those of the volumes, of which nobody had told how far they are, that somebody tells of by now; marks their resources
// as the restore's. A restore without such volumes costs nothing, one whose plugin writes no resources one list.
Result<std::vector<LateVolume>> look_for_late_volumes(const Context& context, const json::Json& restore,
                                                      const std::vector<PluginTransfer>& quiet,
                                                      const std::vector<operation::ItemOperation>& operations,
                                                      const std::stop_token& stop);

// Takes their rows of the volume information for under way, so that they are settled as all others that are. True when
// something has changed.
bool reopen_rows(const std::vector<LateVolume>& late, json::Json& rows);
// Failures of volumes that no row stands for, for the results.
std::vector<std::string> failures_without_rows(const std::vector<LateVolume>& late, const json::Json& rows);

}  // namespace landfall::control
