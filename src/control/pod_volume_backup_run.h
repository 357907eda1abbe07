#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "backup/volume_takers.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "control/context.h"
#include "control/node_agents.h"
#include "control/pod_volume_settings.h"
#include "control/repositories.h"
#include "control/transfer_watch.h"
#include "json/json.h"
#include "progress/item_reporter.h"

namespace landfall::control {

// Has the volumes of pods backed up by the node agents: makes a PodVolumeBackup for each and waits for them. For one
// backup. Thread-safe.
class PodVolumeBackupRun final : public backup::PodVolumeTaker {
 public:
  // `backup` and the name of its location as they are; the context and the progress are borrowed. From now on the
  // timeout runs: --fs-backup-timeout, or what the Backup says.
  PodVolumeBackupRun(const Context& context, const PodVolumeSettings& settings, json::Json backup, std::string location,
                     progress::ItemReporter& progress, Logger log);

  // Of a backup that is run again: what an earlier try has begun ends, if it can be told so.
  void end_earlier(const std::stop_token& stop);

  std::vector<Refusal> begin(const json::Json& pod, const std::vector<std::string>& volumes,
                             const std::stop_token& stop) override;
  void wait_for(const json::Json& pod, const std::stop_token& stop) override;

  struct Ended {
    std::vector<json::Json> volumes;  // as they are at the end
    std::vector<json::Json> earlier;  // of an earlier try, with snapshots: to be deleted with the backup
  };
  // Waits for all of them. Those that are not over in time, or when a stop is asked for, are told to end, and get a
  // while to do so unless `hurry` is stopped as well. What went wrong with each is an error in the log of the backup.
  Ended finish(const std::stop_token& stop, const std::stop_token& hurry);

 private:
  struct Begun {
    std::string pod_uid;
    std::string name_space;
    std::string pod;
    std::string volume;
  };
  using AllBegun = std::map<std::string, Begun>;  // by the names of the PodVolumeBackups

  std::vector<Refusal> refuse_all(const std::vector<std::string>& volumes, const std::string& why) const;
  Result<std::string> create(const json::Json& pod, const std::string& volume, const std::string& repository,
                             const std::stop_token& stop);
  json::Json document(const json::Json& pod, const std::string& volume, const std::string& repository,
                      const json::Json* claim) const;
  std::set<std::string> wait(const std::set<std::string>& names, const std::stop_token& stop);
  std::string explain(const json::Json& one, const std::stop_token& stop);
  void report(const Begun& one, const std::string& why) const;

  const Context& context_;
  const PodVolumeSettings settings_;
  const json::Json backup_;
  const std::string location_;
  progress::ItemReporter& progress_;
  const Logger log_;
  const Duration timeout_;
  const SteadyTime deadline_;
  NodeAgents agents_;
  Repositories repositories_;
  Guarded<AllBegun> begun_;
  std::set<std::string> earlier_;
  TransferWatch watch_;  // last: its thread speaks to the progress
};

}  // namespace landfall::control
