#pragma once

#include <cstdint>
#include <string>

#include "json/json_fwd.h"
#include "metrics/metrics.h"
#include "progress/progress.h"

// What the metrics say about backups, under Velero's names.
namespace landfall::control {

// The Schedule that made a Backup, empty for others: the label of most metrics.
std::string schedule_of(const json::Json& backup);

void count_backup_attempt(metrics::Metrics& metrics, const std::string& schedule);
void measure_archive(metrics::Metrics& metrics, const std::string& schedule, std::uint64_t bytes);
// A Backup has reached its last phase.
void count_backup_end(metrics::Metrics& metrics, const json::Json& backup);

// How far a running backup is, for as long as it runs.
class ProgressGauges {
 public:
  ProgressGauges(metrics::Metrics& metrics, std::string backup);
  ~ProgressGauges();
  ProgressGauges(const ProgressGauges&) = delete;
  ProgressGauges& operator=(const ProgressGauges&) = delete;

  void show(const progress::ItemProgress& progress);

 private:
  metrics::Metrics& metrics_;
  const std::string backup_;
};

}  // namespace landfall::control
