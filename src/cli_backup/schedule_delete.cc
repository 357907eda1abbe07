#include <string>

#include "cli/chosen_objects.h"
#include "cli_backup/schedule_commands.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

Status remove(kube::Client& client, const json::Json& schedule, const GlobalFlags& global, const Context& context) {
  const k8s::ObjectView view(schedule);
  const std::string name(view.name());
  TRY("delete schedule " + name, kube::Resource(client, kSchedules.kind.resource(), global.namespace_name)
                                     .remove(name, context.stop, {.uid = std::string(view.uid())}));
  return context.out.write("Schedule deleted: " + name + "\n");
}

}  // namespace

Command add_schedule_delete(const Command& group, const std::string& word) {
  return add_delete(
      group, word,
      {.noun = kSchedules, .help = "Delete schedules; their backups stay, unless they are theirs", .remove = remove});
}

}  // namespace landfall::cli
