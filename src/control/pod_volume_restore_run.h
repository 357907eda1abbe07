#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "control/context.h"
#include "control/node_agents.h"
#include "control/pod_volume_settings.h"
#include "control/repositories.h"
#include "control/transfer_watch.h"
#include "json/json.h"
#include "progress/item_reporter.h"
#include "restore/volume_restorers.h"

namespace landfall::control {

// Has the volumes of restored pods filled by the node agents: makes a PodVolumeRestore for each that the backup has
// data of, and waits for them; those that an earlier process has made count, too. For one restore. Thread-safe.
class PodVolumeRestoreRun final : public restore::PodVolumeRestorer {
 public:
  // `pod_volume_backups` are those of the backup. Context and progress are borrowed. From now on the timeout runs:
  // --fs-backup-timeout, or what the Restore says.
  PodVolumeRestoreRun(const Context& context, const PodVolumeSettings& settings, json::Json restore,
                      const std::vector<json::Json>& pod_volume_backups, progress::ItemReporter& progress, Logger log);

  Status begin(const json::Json& pod, const std::string& original_namespace, const std::stop_token& stop) override;
  std::vector<std::string> wait(const std::stop_token& stop) override;

  // Tells those that are not over to end: the restore is canceled, or has failed. A server that just stops leaves them
  // to the next one.
  void cancel();
  // All that were made, as they were seen last.
  std::vector<json::Json> restores() const;

 private:
  Status create(const json::Json& pod, const json::Json& backup, const std::stop_token& stop);
  Result<json::Json> document(const json::Json& pod, const json::Json& backup, const std::stop_token& stop);
  std::set<std::string> names() const;
  std::string explain(const json::Json& one, const std::stop_token& stop);
  std::string why_not_begun(const json::Json& one, const std::stop_token& stop);

  const Context& context_;
  const PodVolumeSettings settings_;
  const json::Json restore_;
  const std::vector<json::Json> backups_;  // of each volume the newest
  progress::ItemReporter& progress_;
  const Logger log_;
  const Duration timeout_;
  const SteadyTime deadline_;
  NodeAgents agents_;
  Repositories repositories_;
  Guarded<std::set<std::string>> made_;
  TransferWatch watch_;  // last: its thread speaks to the progress
};

}  // namespace landfall::control
