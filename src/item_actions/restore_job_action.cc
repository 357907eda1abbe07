#include "item_actions/restore_job_action.h"

#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "json/json.h"

namespace landfall::item_actions {
namespace {

extension::RestoreActionResult restore_job(const extension::RestoreActionInput& input) {
  // Before Kubernetes 1.27 the label had no prefix; since then Jobs have both.
  const auto is_uid = [](std::string_view key) {
    return key == "controller-uid" || key == "batch.kubernetes.io/controller-uid";
  };
  Draft job(input.item);
  job.erase_entries({"spec", "selector", "matchLabels"}, is_uid);
  job.erase_entries({"spec", "template", "metadata", "labels"}, is_uid);
  extension::RestoreActionResult result;
  result.changed = job.take();
  return result;
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_job_action() {
  return make_function_action("velero.io/job", "jobs", restore_job);
}

}  // namespace landfall::item_actions
