#include "control/restore_ending.h"

#include "api/status.h"
#include "control/restore_execution.h"
#include "control/restore_metrics.h"
#include "k8s/object_view.h"

namespace landfall::control {

Status end_restore(const Context& context, const json::Json& before, json::Json after, const RestoreEnding& ending,
                   const std::stop_token& stop, IfChanged if_changed) {
  TRY("", api::set_phase(after, ending.phase));
  k8s::remove_annotation(after, kSpecAnnotation);
  if (ending.is_canceled) TRY("", api::set_canceled(after));
  if (!ending.why.empty()) TRY("", api::set_status_text(after, api::field::kFailureReason, ending.why));
  TRY("", api::set_status_time(after, api::field::kCompletionTimestamp, context.clock.wall_now()));
  TRY("", write_change(context.objects(api::kRestore), before, after, stop, if_changed));
  count_restore_end(context.metrics, after);
  context.log.info("Restore has ended",
                   {{"restore", context.name_space + "/" + std::string(k8s::ObjectView(after).name())},
                    {"phase", to_string(ending.phase)},
                    {"reason", api::status_text(after, api::field::kFailureReason)}});
  return {};
}

}  // namespace landfall::control
