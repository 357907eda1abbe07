#include "server/totals.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "api/labels.h"
#include "api/phases.h"
#include "api/status.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "metrics/server_metrics.h"

namespace landfall::server {
namespace {

constexpr Duration kPeriod = std::chrono::minutes(1);

}  // namespace

void count_totals(const kube::Cache& backups, const kube::Cache& restores, metrics::Metrics& metrics) {
  std::map<std::string, WallTime> last_success;  // by schedule
  for (const kube::Object& backup : backups.list()) {
    if (api::phase_of<api::BackupPhase>(*backup) != api::BackupPhase::kCompleted) continue;
    const auto completed = api::status_time(*backup, api::field::kCompletionTimestamp);
    if (!completed) continue;
    const auto schedule = k8s::ObjectView(*backup).labels().get(std::string(api::label::kScheduleName));
    WallTime& last = last_success[std::string(schedule.value_or(""))];
    last = std::max(last, *completed);
  }
  for (const auto& [schedule, time] : last_success) {
    metrics.set(metrics::kBackupLastSuccessfulTimestamp, {schedule},
                static_cast<double>(std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count()));
  }
  metrics.set(metrics::kBackupTotal, {}, static_cast<double>(backups.size()));
  metrics.set(metrics::kRestoreTotal, {}, static_cast<double>(restores.size()));
}

void keep_counting(kube::Cache& backups, kube::Cache& restores, metrics::Metrics& metrics, Clock& clock,
                   const std::stop_token& stop) {
  if (!backups.wait_synced(kNever, stop) || !restores.wait_synced(kNever, stop)) return;
  do {
    count_totals(backups, restores, metrics);
  } while (clock.sleep_for(kPeriod, stop));
}

}  // namespace landfall::server
