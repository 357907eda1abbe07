#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "control/context.h"
#include "json/json_fwd.h"
#include "kube/controller.h"

namespace landfall::control {

// On a Backup that a Schedule has made: "<UID of the Schedule>/<when it was due>". A server that died before it could
// write lastBackup finds by it that the run has been begun.
inline constexpr std::string_view kScheduleRunAnnotation = "landfall.dev/schedule-run";

// "nightly-20261115030000", in UTC. A long name is cut and gets a part of its digest, so that the names of the backup's
// files stay within the 255 bytes that a file system takes.
std::string scheduled_backup_name(std::string_view schedule, WallTime now);

// Makes a Backup whenever a Schedule is due.
//
// A Schedule is due at the first moment of its cron after the last backup, or else after its creation, or after
// lastSkipped if that is later. What was missed while no server ran is made up for by one backup, not by many. While an
// earlier backup of it has not yet taken its picture of the cluster (New, Queued, ReadyToStart, InProgress) the next
// one waits. One that only uploads or finalizes does not hold it up, as in Velero: a long upload must not cost the next
// night's backup.
//
// As in Velero the Backup gets the template as its spec, the template's labels or else the Schedule's, its annotations
// (without what kubectl notes of the Schedule itself), and becomes the Schedule's property only when that asks for it.
// A paused Schedule is checked, no more: its skipImmediately counts from when it goes on.
//
// Unlike in Velero a cron that is never due (the 30th of February) is an error, not always due; and a lastBackup that
// lies in the future, from a clock that was wrong, is put right instead of stopping the backups until then.
class ScheduleReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    bool skip_immediately = false;  // for Schedules that do not say
  };

  ScheduleReconciler(const Context& context, Settings settings) : context_(context), settings_(settings) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  struct Plan;
  Result<Plan> examine(const json::Json& schedule) const;
  Status refuse(json::Json schedule, const Error& error, const std::stop_token& stop) const;
  void consume_skip(json::Json& schedule, Plan& plan) const;
  void mend_times(json::Json& schedule, Plan& plan) const;
  Result<kube::Reconciled> run_when_due(json::Json schedule, const Plan& plan, const std::stop_token& stop) const;
  Status note_backup(json::Json schedule, WallTime when, const std::stop_token& stop) const;

  const Context context_;
  const Settings settings_;
};

}  // namespace landfall::control
