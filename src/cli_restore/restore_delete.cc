#include <string>

#include "base/quote.h"
#include "cli/chosen_objects.h"
#include "cli_restore/restore_commands.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

// The server's finalizer takes its files away, and stops it if it runs.
Status remove(kube::Client& client, const Json& restore, const GlobalFlags& global, const Context& context) {
  const k8s::ObjectView view(restore);
  const std::string name(view.name());
  TRY("delete restore " + name, kube::Resource(client, kRestores.kind.resource(), global.namespace_name)
                                    .remove(name, context.stop, {.uid = std::string(view.uid())}));
  return context.out.write("Request to delete restore " + quote(name) +
                           " submitted successfully.\nThe restore will be fully deleted after all associated data "
                           "(restore files in object storage) are removed.\n");
}

}  // namespace

Command add_restore_delete(const Command& group, const std::string& word) {
  return add_delete(group, word,
                    {.noun = kRestores,
                     .help = "Delete restores, with their logs, results and plans; what they restored stays",
                     .remove = remove,
                     .insists_as_velero = true});
}

}  // namespace landfall::cli
