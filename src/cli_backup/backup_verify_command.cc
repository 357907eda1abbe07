#include <algorithm>
#include <memory>
#include <string>

#include "api/names.h"
#include "base/quote.h"
#include "bucket/verify.h"
#include "cli/byte_line.h"
#include "cli/cluster.h"
#include "cli/output.h"
#include "cli/temporary_directory.h"
#include "cli_backup/backup_commands.h"
#include "cli_backup/backup_verify.h"
#include "json/access.h"
#include "json/json.h"
#include "kube/resource.h"
#include "location/opened_location.h"

namespace landfall::cli {
namespace {

using json::Json;
using location::OpenedLocation;

struct Flags {
  std::string name;
  std::string from;
  std::string location;
  OutputFlags output;
};

// Where the backup is, by its Backup in the cluster; by the default location where the cluster does not know it.
Result<Json> location_of(const Flags& flags, const GlobalFlags& global, kube::Client& client, const Context& context) {
  const kube::Resource locations(client, api::kBackupStorageLocation.resource(), global.namespace_name);
  std::string name = flags.location;
  if (name.empty()) {
    const auto backup =
        kube::Resource(client, api::kBackup.resource(), global.namespace_name).get(flags.name, context.stop);
    if (!backup && backup.error().code() != Code::kNotFound) return fail("backup " + flags.name, backup.error());
    if (backup) name = json::string_or(*backup, {"spec", "storageLocation"}, "");
  }
  if (!name.empty()) {
    TRY_ASSIGN(Json found, "backup storage location " + quote(name), locations.get(name, context.stop));
    return found;
  }
  const auto all = locations.list({}, context.stop);
  if (!all && all.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound,
                "the cluster has no storage locations: neither Velero nor Landfall is installed there; name the bucket "
                "with --from");
  }
  if (!all) return fail("list backup storage locations", all.error());
  const auto is_default = [](const Json& one) { return json::bool_or(one, {"spec", "default"}, false); };
  const auto found = std::ranges::find_if(all->items, is_default);
  if (found != all->items.end()) return *found;
  return fail(Code::kNotFound, "the cluster knows no backup " + quote(flags.name) +
                                   " and has no default storage location: name one with --storage-location, or the "
                                   "bucket with --from");
}

Result<std::unique_ptr<OpenedLocation>> open(const Flags& flags, const GlobalFlags& global, const Context& context) {
  const location::World world{.environment = context.environment, .clock = context.clock, .is_impatient = true};
  if (!flags.from.empty()) {
    if (!flags.location.empty()) return fail(Code::kInvalid, "--from and --storage-location cannot both be given");
    TRY_ASSIGN(auto opened, "--from", location::open_root(flags.from, world));
    return opened;
  }
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY_ASSIGN(const Json location, "", location_of(flags, global, cluster->client(), context));
  return location::open_location(location, cluster->client(), world, context.stop);
}

Result<bucket::VerifyReport> read_backup(bucket::BackupStore& backups, const Flags& flags, const Context& context) {
  ByteLine line(context);
  const auto show = [&](const bucket::VerifyProgress& now) {
    line.total(ByteCount(static_cast<std::int64_t>(now.bytes_total)));
    line.done(ByteCount(static_cast<std::int64_t>(now.bytes_done)));
  };
  auto report = bucket::verify(backups, flags.name,
                               {.spool_directory = temporary_directory(context), .on_progress = show}, context.stop);
  if (report) line.complete();
  return report;
}

Status verify(const Flags& flags, const GlobalFlags& global, const Context& context) {
  const Format format = format_of(flags.output);
  TRY_ASSIGN(const auto opened, "", open(flags, global, context));
  TRY_ASSIGN(const bucket::VerifyReport report, "", read_backup(opened->backups(), flags, context));
  if (format == Format::kJson || format == Format::kYaml) {
    TRY("", context.out.write(document_text(verify_document(report), format)));
  } else {
    TRY("", context.out.write(verify_text(report)));
  }
  if (report.is_whole()) return {};
  return fail(Code::kDataLoss, "backup " + flags.name + " is damaged");
}

}  // namespace

Command add_backup_verify(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command =
      group.leaf(word, "Read a backup to its end and check that nothing of it is damaged or missing");
  command.argument("NAME", flags->name, "The backup");
  command.flag("--from", flags->from,
               "The bucket, s3://BUCKET/PREFIX, or a directory in its place; without it the cluster is asked");
  command.flag("--storage-location", flags->location, "The location that holds it, if not that of the Backup");
  add_output_flags(command, flags->output);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return verify(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
