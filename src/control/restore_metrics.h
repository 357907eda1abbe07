#pragma once

#include <string>

#include "json/json_fwd.h"
#include "metrics/metrics.h"
#include "progress/progress.h"

// What the metrics say about restores, under Velero's names. Previews are no restores and do not count.
namespace landfall::control {

// `restore` has its scheduleName filled in.
void count_restore_attempt(metrics::Metrics& metrics, const json::Json& restore);
// A Restore has reached its last phase.
void count_restore_end(metrics::Metrics& metrics, const json::Json& restore);

// How far a running restore is, for as long as it runs.
class RestoreGauges {
 public:
  RestoreGauges(metrics::Metrics& metrics, std::string restore);
  ~RestoreGauges();
  RestoreGauges(const RestoreGauges&) = delete;
  RestoreGauges& operator=(const RestoreGauges&) = delete;

  void show(const progress::ItemProgress& progress);

 private:
  metrics::Metrics& metrics_;
  const std::string restore_;
};

}  // namespace landfall::control
