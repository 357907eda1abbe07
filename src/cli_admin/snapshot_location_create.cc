#include <memory>
#include <string>
#include <utility>

#include "base/quote.h"
#include "cli/cluster.h"
#include "cli/new_object.h"
#include "cli_admin/admin_commands.h"
#include "cli_admin/location_flags.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  std::string provider;
  StringMap config;
  StringMap credential;
  StringMap labels;
  CreateOutputFlags output;
};

Status create(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", check_name(kSnapshotLocations, flags.name, context));
  if (flags.provider.empty()) return fail(Code::kInvalid, "--provider is required: who takes the snapshots?");
  Json spec = {{"provider", flags.provider}};
  if (!flags.config.empty()) spec["config"] = flags.config;
  TRY("", put_credential(spec, flags.credential));
  const Json draft =
      new_object(api::kVolumeSnapshotLocation, flags.name, global.namespace_name, std::move(spec), flags.labels);
  if (!flags.output.format.empty()) return print_instead(flags.output, draft, snapshot_location_get(), context);

  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY_ASSIGN(const Json created, "", create_object(cluster->client(), kSnapshotLocations, draft, context));
  return context.out.write("Snapshot volume location " + quote(flags.name) + " configured successfully.\n");
}

}  // namespace

Command add_snapshot_location_create(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Say where snapshots of volumes are kept");
  command.argument("NAME", flags->name, "What to call the location");
  command.flag("--provider", flags->provider, "Whose storage it is, by the name of its plugin");
  command.flag("--config", flags->config, "Settings of the provider");
  add_credential_flag(command, flags->credential);
  command.flag("--labels", flags->labels, "Labels of the location");
  add_create_output_flags(command, flags->output);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return create(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
