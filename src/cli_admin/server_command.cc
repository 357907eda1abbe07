#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "cli/build_info.h"
#include "cli/flag_values.h"
#include "cli_admin/commands.h"
#include "cli_admin/daemon.h"
#include "kube/client.h"
#include "server/server.h"

namespace landfall::cli {
namespace {

struct Flags {
  server::ServerOptions options;
  DaemonFlags daemon;
  std::string client_qps;
  std::int64_t client_burst = 100;
  std::int64_t max_connections = 0;
  std::string snapshot_locations;
  // Of Velero, with nothing to switch here.
  std::string profiler_address;
  bool disable_informer_cache = false;
};

void add_listening_flags(const Command& command, Flags& flags) {
  server::ServerOptions& options = flags.options;
  command.flag("--metrics-address", options.metrics_address, "Where metrics and health are served (:8085)");
  command.flag("--artifacts-address", options.artifacts_address, "Where artifacts and logs are served (:8086)");
  command.flag("--artifacts-url", options.artifacts_url,
               "The URL by which clients reach that address (http://POD_IP:PORT)");
}

void add_cluster_flags(const Command& command, Flags& flags) {
  server::ServerOptions& options = flags.options;
  command.flag("--client-qps", flags.client_qps,
               "Calls a second to the API server; without it the rate adapts to what the API server takes");
  command.flag("--client-burst", flags.client_burst, "Calls at once before --client-qps counts (100)");
  command.flag("--client-page-size", options.client_page_size, "Objects in a page of a list; 0 is no pages (500)");
  command.flag("--max-concurrent-k8s-connections", flags.max_connections,
               "Calls to the API server that may be under way (adapts, 64 at most)");
  command.flag("--leader-elect", options.leader_election, "Work only while holding the lease (true)");
  command.flag("--disable-controllers", options.disabled_controllers,
               "Controllers to leave out: " + join(server::controller_names(), ","));
  command.flag("--restore-only", options.restore_only, "No backups, schedules and expiry; deprecated");
  command.flag("--resource-timeout", options.resource_timeout, "For waits that have no time of their own (10m)");
  command.flag("--plugin-dir", options.plugin_dir, "Where plugins are (/plugins)");
  command.flag("--object-store-plugins", options.object_store_plugins,
               "Providers whose plugin is used though they are built in: aws");
}

void add_backup_flags(const Command& command, Flags& flags) {
  server::ServerOptions& options = flags.options;
  command.flag("--default-backup-ttl", options.default_backup_ttl, "How long backups are kept by default (720h)");
  command.flag("--garbage-collection-frequency", options.garbage_collection_frequency,
               "How often expired backups are looked for (1h)");
  command.flag("--backup-sync-period", options.backup_sync_period,
               "How often backups found in buckets are brought into the cluster, by default (1m)");
  command.flag("--store-validation-frequency", options.store_validation_frequency,
               "How often storage locations are tried, by default; 0 is never again (1m)");
  command.flag("--default-backup-storage-location", options.default_backup_location,
               "The name of the default storage location (default); deprecated");
  command.flag("--concurrent-backups", options.concurrent_backups, "Backups that may run at a time (1)");
  command.flag("--item-block-worker-count", options.item_block_worker_count,
               "Items that a backup handles at a time (one a core)");
  command.flag("--default-item-operation-timeout", options.default_item_operation_timeout,
               "How long operations of plugins may take, by default (4h)");
  command.flag("--item-operation-sync-frequency", options.item_operation_sync_frequency,
               "How often operations of plugins are looked at (10s)");
  command.flag("--schedule-skip-immediately", options.schedule_skip_immediately,
               "Do not run a new schedule at once when it is due");
  command.flag("--global-backup-volume-policies-configmap", options.global_volume_policies_configmap,
               "The ConfigMap of volume policies that count for every backup");
}

void add_volume_flags(const Command& command, Flags& flags) {
  server::ServerOptions& options = flags.options;
  command.flag("--default-volume-snapshot-locations", flags.snapshot_locations,
               "The snapshot location of each provider: PROVIDER:NAME,…");
  command.flag("--default-volumes-to-fs-backup", options.default_volumes_to_fs_backup,
               "Back up volumes file by file by default");
  command.flag("--default-snapshot-move-data", options.default_snapshot_move_data,
               "Move the data of snapshots to the bucket by default");
  command.flag("--volume-group-snapshot-label-key", options.volume_group_snapshot_label_key,
               "The label by which volumes are snapshot together (velero.io/volume-group)");
  command.flag("--fs-backup-timeout", options.fs_backup_timeout, "How long the files of a pod may take (4h)");
  command.flag("--uploader-type", options.uploader_type,
               "What backs up the files of volumes (restic); what kopia has stored is restored");
  command.flag("--default-repo-maintain-frequency", options.default_repo_maintain_frequency,
               "How often repositories are maintained (0: as they say)");
  command.flag("--backup-repository-configmap", options.backup_repository_configmap,
               "The ConfigMap with settings of repositories");
  command.flag("--repo-maintenance-job-configmap", options.repo_maintenance_job_configmap,
               "The ConfigMap with settings of maintenance");
  command.flag("--terminating-resource-timeout", options.terminating_resource_timeout,
               "How long a restore waits for what is being deleted (10m)");
  command.choice("--restore-managed-fields", options.restore_managed_fields, {"applied", "always"},
                 "Whose managed fields restores put back: applied is where server-side apply needs them, always is "
                 "every object, as Velero does (applied)");
  command.flag("--restore-resource-priorities", options.restore_resource_priorities,
               "The order of restores: first those before \"-\", last those behind it");
}

Result<kube::ClientOptions> client_options(const Flags& flags) {
  kube::ClientOptions options{.user_agent = "landfall-server/" + std::string(build_version())};
  if (!flags.client_qps.empty()) {
    const std::string& text = flags.client_qps;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), options.qps);
    if (problem != std::errc() || end != text.data() + text.size() || !(options.qps >= 0)) {
      return fail(Code::kInvalid, "--client-qps: " + quote(text) + " is not a number of calls a second");
    }
  }
  constexpr std::int64_t kMost = 100'000;
  if (flags.client_burst < 1 || flags.client_burst > kMost) {
    return fail(Code::kInvalid, "--client-burst must be from 1 to " + std::to_string(kMost));
  }
  options.burst = static_cast<int>(flags.client_burst);
  if (flags.max_connections < 0 || flags.max_connections > kMost) {
    return fail(Code::kInvalid, "--max-concurrent-k8s-connections must be from 1 to " + std::to_string(kMost));
  }
  if (flags.max_connections > 0) options.max_concurrent = static_cast<int>(flags.max_connections);
  return options;
}

// The flags as the server takes them: 0 is "as usual" where Velero's flags mean that.
Result<server::ServerOptions> server_options(const Flags& flags, const GlobalFlags& global, const Context& context) {
  server::ServerOptions options = flags.options;
  const server::ServerOptions usual;
  const auto or_usual = [](Duration& value, Duration fallback) {
    if (value <= Duration::zero()) value = fallback;
  };
  or_usual(options.garbage_collection_frequency, usual.garbage_collection_frequency);
  or_usual(options.item_operation_sync_frequency, usual.item_operation_sync_frequency);
  or_usual(options.backup_sync_period, usual.backup_sync_period);
  options.name_space = global.namespace_name;
  options.features = global.features;
  options.version = build_version();
  const std::string host = context.environment.get_or("HOSTNAME", host_name());
  // Outside of a pod two servers may run on one host: each is a replica of its own.
  options.identity = context.environment.get_or("POD_NAME", host + "-" + name_suffix(system_random()));
  options.host = context.environment.get_or("POD_IP", host);
  // Kubernetes tells every pod where the API server is, and names its host after it.
  const bool is_in_pod = !context.environment.get_or("KUBERNETES_SERVICE_HOST", "").empty();
  options.pod = context.environment.get_or("POD_NAME", is_in_pod ? host : "");
  if (!flags.snapshot_locations.empty()) {
    TRY_ASSIGN(options.default_volume_snapshot_locations, "--default-volume-snapshot-locations",
               parse_map(flags.snapshot_locations, ':'));
  }
  return options;
}

Status run(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const kube::ClientOptions client_settings, "", client_options(flags));
  TRY_ASSIGN(server::ServerOptions options, "", server_options(flags, global, context));
  TRY_ASSIGN(const std::unique_ptr<Daemon> daemon, "", Daemon::start(flags.daemon, global, context, client_settings));
  options.log_level = daemon->log_level();
  options.log_format = daemon->log_format();
  const Logger& log = daemon->log();
  log.info(
      "landfall server",
      {{"version", build_version()}, {"commit", build_commit()}, {"cluster", daemon->client().connection().server()}});
  if (!flags.profiler_address.empty()) log_ignored_flag(log, "--profiler-address");
  if (flags.disable_informer_cache) log_ignored_flag(log, "--disable-informer-cache");
  return server::run_server(options,
                            {.client = daemon->client(),
                             .clock = context.clock,
                             .random = system_random(),
                             .environment = context.environment,
                             .processes = daemon->processes(),
                             .log = log,
                             .end_process = daemon->end_process()},
                            context.stop);
}

}  // namespace

void add_server_command(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command command = root.leaf("server", "Run the server, in the cluster or beside it");
  add_listening_flags(command, *flags);
  add_daemon_flags(command, flags->daemon);
  add_cluster_flags(command, *flags);
  add_backup_flags(command, *flags);
  add_volume_flags(command, *flags);
  command.flag("--profiler-address", flags->profiler_address, kIgnoredHelp);
  command.flag("--disable-informer-cache", flags->disable_informer_cache, kIgnoredHelp);
  command.action([flags](const Context& context, const GlobalFlags& global) { return run(*flags, global, context); });
}

}  // namespace landfall::cli
