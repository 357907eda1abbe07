#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "restore/adaptive_loop.h"
#include "restore/collector.h"
#include "restore/delayed_stop.h"
#include "restore/item_restorer.h"
#include "restore/journal_lines.h"
#include "restore/live_target.h"
#include "restore/restore_run.h"

namespace landfall::restore {

// One restore or preview, from its archive to its end: what is shared by its steps. Used once, by one thread.
class RestoreSession {
 public:
  RestoreSession(const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop);

  Result<RestoreProduct> restore();
  Result<Plan> preview();

 private:
  Status ask_cluster();
  Status make_filter();
  Status make_actions();
  Status restore_definitions();
  Status refresh_discovery(const std::vector<k8s::GroupResource>& wanted);
  Status make_plan();
  void report_archive();
  void report_plan();
  void replay_items();
  void note_stages();
  Status run_stages();
  Status run_stage(const PlannedResource& stage);
  Status make_namespaces();
  void wait_for_volumes();
  Result<RestoreProduct> product(bool is_cut_off);
  void say_what_is_missing();
  void warn_of_unknown();
  void remove_data_upload_results();
  void fill_in_forecasts();
  ItemWorld world(Target& target, NamespaceKeeper& namespaces, bool is_preview);

  const RestoreJob& job_;
  RestoreTools& tools_;
  const std::stop_token stop_;
  DelayedStop late_;
  AdaptiveLoop loop_;
  kube::DiscoveryCache discovery_cache_;
  Guarded<std::shared_ptr<const kube::Discovery>> discovery_;
  std::set<std::string> namespaces_;  // of the cluster, without those that are being deleted
  std::optional<selection::RestoreFilter> filter_;
  std::vector<std::unique_ptr<extension::RestoreItemAction>> actions_;
  std::optional<RestoreActionSet> action_set_;
  VolumeDecisions decisions_;
  ItemBook book_;
  VolumeBook volume_book_;
  Replay replay_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<NamespaceKeeper> keeper_;
  std::unique_ptr<ItemRestorer> items_;
  Plan plan_;
  std::vector<Finding> findings_;  // of the run itself
};

}  // namespace landfall::restore
