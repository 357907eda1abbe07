#include <memory>
#include <string>

#include "base/quote.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli_admin/admin_commands.h"
#include "cli_admin/location_flags.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  StringMap credential;
};

Status set(const Flags& flags, const GlobalFlags& global, const Context& context) {
  Json spec = Json::object();
  TRY("", put_credential(spec, flags.credential));
  // Velero says that all is well.
  if (spec.empty() && !context.called_as_velero()) return fail(Code::kInvalid, "what is to be set? --credential");
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder finder(cluster->client(), kSnapshotLocations, global.namespace_name, context);
  TRY_ASSIGN(const Json location, "", finder.one(flags.name));
  TRY("snapshot-location " + flags.name,
      finder.resource().patch(flags.name, kube::PatchType::kMerge, {{"spec", spec}}, context.stop));
  return context.out.write("Volume snapshot location " + quote(flags.name) + " configured successfully.\n");
}

}  // namespace

Command add_snapshot_location_set(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Change a location of snapshots");
  command.argument("NAME", flags->name, "The location");
  add_credential_flag(command, flags->credential);
  command.action([flags](const Context& context, const GlobalFlags& global) { return set(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
