#include <algorithm>
#include <memory>
#include <optional>
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
  std::optional<std::string> ca_file;
  StringMap credential;
  std::optional<bool> is_default;
};

// What changes, as a merge patch of the spec: null takes a field away.
Result<Json> changes_of(const Flags& flags, const Context& context) {
  Json spec = Json::object();
  TRY("", put_credential(spec, flags.credential));
  // Velero writes `default: false` by leaving it out.
  if (flags.is_default) spec["default"] = *flags.is_default ? Json(true) : Json(nullptr);
  const bool has_file = flags.ca_file && !flags.ca_file->empty();
  if (has_file) {
    TRY_ASSIGN(spec["objectStorage"]["caCert"], "", read_ca_file(*flags.ca_file, context));
  }
  // Velero takes the certificates away whenever none are given; we only where the flag says so, with an empty value.
  if (!has_file && (flags.ca_file || context.called_as_velero())) spec["objectStorage"]["caCert"] = nullptr;
  return spec;
}

// True: it is the only one already.
Result<bool> is_default_already(const Flags& flags, const kube::Resource& locations, const Context& context) {
  TRY_ASSIGN(const auto defaults, "", default_locations(locations, context));
  const auto other = std::ranges::find_if(defaults, [&](const std::string& name) { return name != flags.name; });
  if (other == defaults.end()) return !defaults.empty();
  return fail(Code::kAlreadyExists, "backup-location " + quote(*other) + " is the default: unset it first with '" +
                                        context.program + " backup-location set " + *other + " --default=false'");
}

Status set(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(Json spec, "", changes_of(flags, context));
  if (spec.empty()) return fail(Code::kInvalid, "what is to be set? --cacert, --credential or --default");
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder finder(cluster->client(), kBackupLocations, global.namespace_name, context);
  TRY_ASSIGN(const Json location, "", finder.one(flags.name));
  if (flags.is_default.value_or(false)) {
    TRY_ASSIGN(const bool is_already, "", is_default_already(flags, finder.resource(), context));
    if (is_already) {
      TRY("", context.out.write("Backup storage location " + quote(flags.name) +
                                " is already the default backup storage location.\n"));
      // Velero forgets what else was asked for.
      spec.erase("default");
      if (spec.empty() || context.called_as_velero()) return {};
    }
  }
  TRY("backup-location " + flags.name,
      finder.resource().patch(flags.name, kube::PatchType::kMerge, {{"spec", spec}}, context.stop));
  return context.out.write("Backup storage location " + quote(flags.name) + " configured successfully.\n");
}

}  // namespace

Command add_backup_location_set(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Change a location of backups");
  command.argument("NAME", flags->name, "The location");
  command.flag("--cacert", flags->ca_file,
               "A file with the authorities to trust when the bucket is reached; empty: the system's again");
  add_credential_flag(command, flags->credential);
  command.flag("--default", flags->is_default, "Keep backups here that name no location; =false: no more");
  command.action([flags](const Context& context, const GlobalFlags& global) { return set(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
