#pragma once

#include <stop_token>

#include "base/clock.h"
#include "kube/cache.h"
#include "metrics/metrics.h"

namespace landfall::server {

// velero_backup_total, velero_restore_total, and when a backup of each schedule last completed, from what is there now.
void count_totals(const kube::Cache& backups, const kube::Cache& restores, metrics::Metrics& metrics);

// The same each minute, until the stop.
void keep_counting(kube::Cache& backups, kube::Cache& restores, metrics::Metrics& metrics, Clock& clock,
                   const std::stop_token& stop);

}  // namespace landfall::server
