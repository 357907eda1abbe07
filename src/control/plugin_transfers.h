#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "control/context.h"
#include "control/plugin_resources.h"
#include "control/plugin_transfer.h"
#include "control/snapshotters.h"
#include "json/json.h"

namespace landfall::control {

// Follows what volume snapshotters do for one Backup or Restore after their calls have returned, by the
// VolumePluginBackups or -Restores that they write themselves, and by asking them; see snapshots.md. Thread-safe, but
// for two threads that follow the same transfer.
class PluginTransfers {
 public:
  // `owner` is the Backup or Restore. The context is borrowed. Without snapshotters nobody is asked.
  PluginTransfers(const Context& context, std::shared_ptr<Snapshotters> snapshotters, json::Json owner, Logger log);

  // Finds its resource, marks it as the owner's, and asks the plugin: a plugin that has died over it takes it up again
  // by that. What the plugin's own resource says counts; without one its answer is written into one of ours.
  TransferSight look(PluginTransfer& transfer, const std::stop_token& stop);
  // The same without asking.
  TransferSight look_at_resource(PluginTransfer& transfer, const std::stop_token& stop);

  // Tells the plugin to stop, both ways.
  Status cancel(PluginTransfer& transfer, const std::stop_token& stop);

  // Those that name this Backup and were never marked: a process died before it could.
  Result<std::vector<json::Json>> unmarked(const std::stop_token& stop);
  // Whether there is any resource at all, of whatever operation: else nothing need be looked for.
  Result<bool> has_resources(const std::stop_token& stop);
  // All resources that are marked as the owner's.
  Result<std::vector<json::Json>> resources(const std::stop_token& stop);
  // Whether the plugin of a location is one that writes resources: there are some of it, of any operation.
  Result<bool> writes_resources(const std::string& location, const std::stop_token& stop);

  bool is_restore() const { return is_restore_; }

 private:
  using Found = std::optional<json::Json>;
  Result<Found> find(const PluginTransfer& transfer, const std::stop_token& stop);
  Result<Found> find_named(const std::string& name, const PluginTransfer& transfer, const std::stop_token& stop);
  Result<Found> find_listed(const PluginTransfer& transfer, const std::stop_token& stop);
  bool is_about(const json::Json& resource, const PluginTransfer& transfer) const;
  bool is_of_another(const json::Json& resource) const;
  bool is_marked(const json::Json& resource) const;
  void warn_of_stranger(const json::Json& resource);

  // Finds and marks.
  Result<Found> take(PluginTransfer& transfer, const std::stop_token& stop);
  Status mark(json::Json& resource, const PluginTransfer& transfer, const std::stop_token& stop) const;
  Status set_marks(json::Json& resource, const PluginTransfer& transfer) const;
  void remove_ours(const std::string& name, const std::stop_token& stop) const;
  // Writes what the plugin has said; `found` is the resource that we have written before. kConflict when somebody has
  // changed it since: the plugin may have taken it over, and writes newer bytes itself.
  Status write(PluginTransfer& transfer, const Found& found, const extension::TransferProgress& progress,
               const std::string& provider, const std::stop_token& stop);
  Result<json::Json> document(const PluginTransfer& transfer, const std::string& provider) const;
  TransferSight write_down(PluginTransfer& transfer, const Found& found, const extension::TransferProgress& progress,
                           const std::string& provider, const std::stop_token& stop);
  TransferSight without_answer(const Error& error, const PluginTransfer& transfer, const Found& found) const;
  Status tell_to_stop(const PluginTransfer& transfer, const std::stop_token& stop);
  const api::Kind& kind() const;
  kube::Resource objects() const;
  std::string name_of_kind() const;

  const Context& context_;
  const std::shared_ptr<Snapshotters> snapshotters_;
  const json::Json owner_;
  const bool is_restore_;
  const std::string backup_;  // its name
  const Logger log_;
  PluginResources resources_;
  Guarded<std::set<std::string>> strangers_;  // that were warned of
};

}  // namespace landfall::control
