#include "control/backup_ending.h"

#include "api/status.h"
#include "control/backup_metrics.h"

namespace landfall::control {

Status end_backup(const Context& context, const json::Json& before, json::Json after, const BackupEnding& ending,
                  const std::stop_token& stop, IfChanged if_changed) {
  TRY("", api::set_phase(after, ending.phase));
  if (ending.is_canceled) TRY("", api::set_canceled(after));
  if (!ending.why.empty()) TRY("", api::set_status_text(after, api::field::kFailureReason, ending.why));
  TRY("", api::set_status_time(after, api::field::kCompletionTimestamp, context.clock.wall_now()));
  TRY("", write_change(context.objects(api::kBackup), before, after, stop, if_changed));
  count_backup_end(context.metrics, after);
  return {};
}

}  // namespace landfall::control
