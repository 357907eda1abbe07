#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/go_duration.h"
#include "base/quote.h"
#include "cli/cluster.h"
#include "cli/new_object.h"
#include "cli/spec_fields.h"
#include "cli_admin/admin_commands.h"
#include "cli_admin/location_flags.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  std::string provider;
  std::string bucket;
  std::string prefix;
  StringMap config;
  StringMap credential;
  std::string ca_file;
  bool is_default = false;
  std::string access_mode = "ReadWrite";
  std::optional<Duration> sync_period;
  std::optional<Duration> validation_frequency;
  StringMap labels;
  CreateOutputFlags output;
};

Status check(const Flags& flags, const Context& context) {
  TRY("", check_name(kBackupLocations, flags.name, context));
  if (flags.provider.empty()) {
    return fail(Code::kInvalid,
                "--provider is required: whose storage is it? Such as aws, for everything that speaks S3");
  }
  if (flags.bucket.empty()) return fail(Code::kInvalid, "--bucket is required: where are the backups to be?");
  if (flags.sync_period.value_or(Duration::zero()) < Duration::zero()) {
    return fail(Code::kInvalid, "--backup-sync-period cannot be negative");
  }
  if (flags.validation_frequency.value_or(Duration::zero()) < Duration::zero() && !context.called_as_velero()) {
    return fail(Code::kInvalid, "--validation-frequency cannot be negative");
  }
  return {};
}

Result<Json> spec_of(const Flags& flags, const Context& context) {
  Json storage = {{"bucket", flags.bucket}};
  put_text(storage, "prefix", flags.prefix);
  if (!flags.ca_file.empty()) {
    TRY_ASSIGN(storage["caCert"], "", read_ca_file(flags.ca_file, context));
  }
  Json spec = {{"provider", flags.provider}, {"accessMode", flags.access_mode}, {"objectStorage", std::move(storage)}};
  TRY("", put_credential(spec, flags.credential));
  if (!flags.config.empty()) spec["config"] = flags.config;
  if (flags.is_default) spec["default"] = true;
  if (flags.sync_period) spec["backupSyncPeriod"] = format_go_duration(*flags.sync_period);
  if (flags.validation_frequency) spec["validationFrequency"] = format_go_duration(*flags.validation_frequency);
  return spec;
}

// Which of two defaults a backup would go to, nobody could tell.
Status check_default(const kube::Resource& locations, const Context& context) {
  TRY_ASSIGN(const auto defaults, "", default_locations(locations, context));
  if (defaults.empty()) return {};
  return fail(Code::kAlreadyExists, "backup-location " + quote(defaults.front()) +
                                        " is the default already: unset it first with '" + context.program +
                                        " backup-location set " + defaults.front() +
                                        " --default=false', or leave out --default");
}

Status create(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", check(flags, context));
  TRY_ASSIGN(Json spec, "", spec_of(flags, context));
  const Json draft =
      new_object(api::kBackupStorageLocation, flags.name, global.namespace_name, std::move(spec), flags.labels);
  if (!flags.output.format.empty()) return print_instead(flags.output, draft, backup_location_get(), context);

  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  if (flags.is_default) {
    TRY("", check_default({cluster->client(), kBackupLocations.kind.resource(), global.namespace_name}, context));
  }
  TRY_ASSIGN(const Json created, "", create_object(cluster->client(), kBackupLocations, draft, context));
  return context.out.write("Backup storage location " + quote(flags.name) + " configured successfully.\n");
}

}  // namespace

Command add_backup_location_create(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Say where backups are kept");
  command.argument("NAME", flags->name, "What to call the location");
  command.flag("--provider", flags->provider, "Whose storage it is: aws (S3) or filesystem");
  command.flag("--bucket", flags->bucket, "The bucket");
  command.flag("--prefix", flags->prefix, "Where in the bucket, if not at its top");
  command.flag("--config", flags->config, "Settings of the provider, such as region=eu-central-1,s3Url=https://…");
  add_credential_flag(command, flags->credential);
  command.flag("--cacert", flags->ca_file, "A file with the authorities to trust when the bucket is reached");
  command.flag("--default", flags->is_default, "Keep backups here that name no location");
  command.choice("--access-mode", flags->access_mode, {"ReadWrite", "ReadOnly"},
                 "ReadOnly: nothing is written or deleted there (ReadWrite)");
  command.flag("--backup-sync-period", flags->sync_period,
               "How often backups of the bucket are looked for; 0s: never (the server's)");
  command.flag("--validation-frequency", flags->validation_frequency,
               "How often it is tried whether the bucket can be reached; 0s: never (the server's)");
  command.flag("--labels", flags->labels, "Labels of the location");
  add_create_output_flags(command, flags->output);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return create(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
