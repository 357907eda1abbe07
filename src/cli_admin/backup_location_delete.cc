#include <string>
#include <vector>

#include "api/labels.h"
#include "base/quote.h"
#include "base/strings.h"
#include "cli/chosen_objects.h"
#include "cli_admin/admin_commands.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

// Objects that mean nothing without their location. The bucket keeps what it holds.
Status remove_belongings(const kube::Resource& resource, const std::string& location, const std::string& what,
                         const Context& context) {
  const std::string selector = std::string(api::label::kStorageLocation) + "=" + k8s::label_safe(location);
  TRY_ASSIGN(const kube::ObjectList all, "list what belongs to backup-location " + location,
             resource.list({.label_selector = selector}, context.stop));
  std::vector<std::string> errors;
  for (const Json& one : all.items) {
    const std::string name(k8s::ObjectView(one).name());
    const auto removed = resource.remove(name, context.stop);
    if (!removed && removed.error().code() != Code::kNotFound) {
      errors.push_back(name + ": " + removed.error().message());
      continue;
    }
    TRY("", context.out.write(what + " associated with deleted BSL(s) " + quote(name) + " deleted successfully.\n"));
  }
  if (errors.empty()) return {};
  return fail(Code::kUnavailable, "delete what belongs to backup-location " + location + ": " + join(errors, "; "));
}

// The location goes first: as long as it is there the server brings its Backups back.
Status remove(kube::Client& client, const Json& location, const GlobalFlags& global, const Context& context) {
  const k8s::ObjectView view(location);
  const std::string name(view.name());
  const auto resource = [&](const api::Kind& kind) {
    return kube::Resource(client, kind.resource(), global.namespace_name);
  };
  TRY("delete backup-location " + name,
      resource(api::kBackupStorageLocation).remove(name, context.stop, {.uid = std::string(view.uid())}));
  TRY("", context.out.write("Backup storage location " + quote(name) + " deleted successfully.\n"));
  const Status backups = remove_belongings(resource(api::kBackup), name, "Backup", context);
  const Status repositories = remove_belongings(resource(api::kBackupRepository), name, "Backup repository", context);
  return backups ? repositories : backups;
}

}  // namespace

Command add_backup_location_delete(const Command& group, const std::string& word) {
  return add_delete(group, word,
                    {.noun = kBackupLocations,
                     .help = "Forget locations, with the Backups that are kept there; the bucket keeps its files",
                     .remove = remove});
}

}  // namespace landfall::cli
