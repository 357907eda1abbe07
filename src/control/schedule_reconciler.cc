#include "control/schedule_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "api/backup.h"
#include "api/labels.h"
#include "api/schedule.h"
#include "api/status.h"
#include "base/cron.h"
#include "base/digest.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "control/change.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "metrics/server_metrics.h"

namespace landfall::control {
namespace {

using json::Json;
using kube::Reconciled;

// The longest look away, so that a clock that is set is noticed.
constexpr Duration kLongestWait = std::chrono::minutes(1);
// The name was taken in this second.
constexpr Duration kNextName = std::chrono::seconds(1);
// Two servers' clocks may differ by this much without anything being wrong.
constexpr Duration kClockSkew = std::chrono::minutes(5);
// Of 255 for a file, 35 are for the longest suffix of an artifact; the rest is reserve.
constexpr std::size_t kMaxBackupName = 215;
// What `kubectl apply` keeps of the Schedule; on a Backup it would be a lie.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::vector<std::string> label_problems(const api::BackupSpec& spec) {
  std::vector<std::string> problems;
  const auto note = [&](const std::string& key, const k8s::Problems& found) {
    if (!found.empty()) {
      problems.push_back(fmt::format("spec.template.metadata.labels[{}]: {}", key, k8s::joined(found)));
    }
  };
  for (const auto& [key, value] : spec.labels) {
    note(key, k8s::qualified_name_problems(key));
    note(key, k8s::label_value_problems(value));
  }
  return problems;
}

Result<CronSchedule> read_cron(const Json& schedule, WallTime now) {
  const std::string text = json::string_or(schedule, {"spec", "schedule"}, "");
  if (text.empty()) return fail(Code::kInvalid, "spec.schedule: must not be empty");
  TRY_ASSIGN(CronSchedule cron, "spec.schedule", CronSchedule::parse(text));
  if (!cron.next(now)) return fail(Code::kInvalid, fmt::format("spec.schedule: {} is never due", quote(text)));
  return cron;
}

// What stands behind kScheduleRunAnnotation of the runs of this Schedule, of this cluster: others may have one of the
// same name and the same bucket.
std::string run_prefix(const Json& schedule) { return std::string(k8s::ObjectView(schedule).uid()) + "/"; }

Json backup_of(const Json& schedule, const std::string& name, const api::Schedule& view, WallTime due) {
  const k8s::ObjectView object(schedule);
  const Json* from_template = json::find(schedule, {"spec", "template", "metadata", "labels"});
  json::StringMap labels = from_template != nullptr ? k8s::StringMapView(from_template).copy() : object.labels().copy();
  labels[std::string(api::label::kScheduleName)] = k8s::label_safe(object.name());
  json::StringMap annotations = object.annotations().copy();
  annotations.erase(std::string(kLastApplied));
  annotations[std::string(kScheduleRunAnnotation)] = run_prefix(schedule) + format_rfc3339(due);

  Json metadata = {{"name", name},
                   {"namespace", std::string(object.name_space())},
                   {"labels", labels},
                   {"annotations", annotations}};
  if (view.use_owner_references) {
    metadata["ownerReferences"] = Json::array({{{"apiVersion", api::kSchedule.api_version()},
                                                {"kind", std::string(api::kSchedule.name)},
                                                {"name", std::string(object.name())},
                                                {"uid", std::string(object.uid())},
                                                {"controller", true}}});
  }
  const Json* spec = json::find(schedule, {"spec", "template"});
  return {{"apiVersion", api::kBackup.api_version()},
          {"kind", std::string(api::kBackup.name)},
          {"metadata", std::move(metadata)},
          {"spec", spec != nullptr ? *spec : Json::object()}};
}

bool holds_up_the_next(const Json& backup) {
  using enum api::BackupPhase;
  const auto phase = api::phase_of<api::BackupPhase>(backup);
  return phase == kNew || phase == kQueued || phase == kReadyToStart || phase == kInProgress;
}

// When the run of that moment, or of a later one, was begun; nothing when it was not.
std::optional<WallTime> begun_at(const Json& schedule, const std::vector<Json>& backups, WallTime due) {
  const std::string prefix = run_prefix(schedule);
  std::optional<WallTime> latest;
  for (const Json& backup : backups) {
    const k8s::ObjectView view(backup);
    const auto run = view.annotations().get(std::string(kScheduleRunAnnotation));
    const auto text = run ? strip_prefix(*run, prefix) : std::nullopt;
    const auto was_due = text ? parse_rfc3339(*text) : Result<WallTime>(fail(Code::kNotFound, ""));
    if (!was_due || *was_due < due) continue;
    // Not before it was due, whatever the API server's clock says: it would be due again.
    latest = std::max({latest.value_or(*was_due), *was_due, view.creation_timestamp().value_or(*was_due)});
  }
  return latest;
}

void set_interval(const Context& context, const std::string& name, const CronSchedule& cron, WallTime now) {
  const auto first = cron.next(now);
  const auto second = first ? cron.next(*first) : std::nullopt;
  if (!second) return;
  context.metrics.set(metrics::kScheduleExpectedIntervalSeconds, {name},
                      std::chrono::duration<double>(*second - *first).count());
}

}  // namespace

std::string scheduled_backup_name(std::string_view schedule, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(seconds - day);
  const std::string suffix = fmt::format("-{:04}{:02}{:02}{:02}{:02}{:02}", static_cast<int>(date.year()),
                                         static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                         time.hours().count(), time.minutes().count(), time.seconds().count());
  std::string name(schedule);
  if (name.size() + suffix.size() > kMaxBackupName) {
    const std::string digest = "-" + sha256_hex(schedule).substr(0, 6);
    name.resize(kMaxBackupName - suffix.size() - digest.size());
    // Neither a dot nor a dash may stand before a dash, if a dot went before that.
    name.erase(name.find_last_not_of(".-") + 1);
    name += digest;
  }
  return name + suffix;
}

struct ScheduleReconciler::Plan {
  api::Schedule view;
  CronSchedule cron;
};

Result<ScheduleReconciler::Plan> ScheduleReconciler::examine(const Json& schedule) const {
  std::vector<std::string> problems;
  const auto note = [&](const std::vector<std::string>& found) {
    problems.insert(problems.end(), found.begin(), found.end());
  };
  auto view = api::read_schedule(schedule);
  if (!view) note(api::problems_of(view.error()));
  auto cron = read_cron(schedule, context_.clock.wall_now());
  if (!cron && view) note({cron.error().message()});
  const auto spec = api::read_backup_template(schedule);
  note(spec ? label_problems(*spec) : api::problems_of(spec.error()));
  TRY("", api::no_problems(std::move(problems)));
  return Plan{.view = *std::move(view), .cron = *std::move(cron)};
}

Status ScheduleReconciler::refuse(Json schedule, const Error& error, const std::stop_token& stop) const {
  const Json before = schedule;
  context_.metrics.forget(metrics::kScheduleExpectedIntervalSeconds, {std::string(k8s::ObjectView(before).name())});
  TRY("", api::set_phase(schedule, api::SchedulePhase::kFailedValidation));
  TRY("", api::set_status_texts(schedule, api::field::kValidationErrors, api::problems_of(error)));
  return write_change(context_.objects(api::kSchedule), before, schedule, stop);
}

void ScheduleReconciler::consume_skip(Json& schedule, Plan& plan) const {
  const bool says = json::has(schedule, {"spec", "skipImmediately"});
  if (says ? !plan.view.skip_immediately : !settings_.skip_immediately) return;
  schedule["spec"]["skipImmediately"] = false;
  plan.view.last_skipped = context_.clock.wall_now();
  schedule["status"][std::string(api::field::kLastSkipped)] = format_rfc3339(*plan.view.last_skipped);
}

void ScheduleReconciler::mend_times(Json& schedule, Plan& plan) const {
  const WallTime now = context_.clock.wall_now();
  const auto mend = [&](std::optional<WallTime>& time, std::string_view field) {
    if (!time || *time <= now + kClockSkew) return;
    context_.log.warning("a time of a schedule lies in the future, and would stop its backups until then: put right",
                         {{"schedule", k8s::ObjectView(schedule).name()},
                          {"field", fmt::format("status.{}", field)},
                          {"was", format_rfc3339(*time)}});
    time = now;
    schedule["status"][std::string(field)] = format_rfc3339(now);
  };
  mend(plan.view.last_backup, api::field::kLastBackup);
  mend(plan.view.last_skipped, api::field::kLastSkipped);
}

Result<Reconciled> ScheduleReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  const kube::Resource schedules = context_.objects(api::kSchedule);
  auto found = schedules.get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) {
    metrics::forget_schedule(context_.metrics, name.name);
    return Reconciled{};
  }
  TRY_ASSIGN(Json schedule, "", std::move(found));
  if (k8s::ObjectView(schedule).is_being_deleted()) return Reconciled{};
  metrics::show_schedule(context_.metrics, name.name);

  auto plan = examine(schedule);
  if (!plan) {
    TRY("schedule " + name.name, refuse(std::move(schedule), plan.error(), stop));
    return Reconciled{};
  }
  set_interval(context_, name.name, plan->cron, context_.clock.wall_now());

  const Json before = schedule;
  TRY("", api::set_phase(schedule, api::SchedulePhase::kEnabled));
  TRY("", api::set_status_texts(schedule, api::field::kValidationErrors, {}));
  if (!plan->view.paused) {
    consume_skip(schedule, *plan);
    mend_times(schedule, *plan);
  }
  TRY("", write_change(schedules, before, schedule, stop));
  if (plan->view.paused) return Reconciled{};
  return run_when_due(std::move(schedule), *plan, stop);
}

Result<Reconciled> ScheduleReconciler::run_when_due(Json schedule, const Plan& plan,
                                                    const std::stop_token& stop) const {
  const WallTime now = context_.clock.wall_now();
  const auto look_again = [&](WallTime since) {
    const auto next = plan.cron.next(since);
    return Reconciled{.again_after = next ? std::clamp(*next - now, kNextName, kLongestWait) : kLongestWait};
  };
  const k8s::ObjectView object(schedule);
  const std::string name(object.name());
  WallTime since = plan.view.last_backup.value_or(object.creation_timestamp().value_or(now));
  since = std::max(since, plan.view.last_skipped.value_or(since));
  const auto due = plan.cron.next(since);
  if (!due || now < *due) return Reconciled{.again_after = due ? std::min(*due - now, kLongestWait) : kLongestWait};

  const kube::Resource backups = context_.objects(api::kBackup);
  const std::string of_this = fmt::format("{}={}", api::label::kScheduleName, k8s::label_safe(name));
  TRY_ASSIGN(const kube::ObjectList earlier, "list the backups of schedule " + name,
             backups.list({.label_selector = of_this}, stop));
  if (const auto begun = begun_at(schedule, earlier.items, *due)) {
    TRY("schedule " + name, note_backup(std::move(schedule), *begun, stop));
    return look_again(*begun);
  }
  if (std::ranges::any_of(earlier.items, holds_up_the_next)) {
    context_.log.debug("a schedule is due, but an earlier backup of it is not done", {{"schedule", name}});
    return Reconciled{.again_after = kLongestWait};
  }

  const std::string backup = scheduled_backup_name(name, now);
  auto created = backups.create(backup_of(schedule, backup, plan.view, *due), stop);
  if (!created && created.error().code() == Code::kAlreadyExists) return Reconciled{.again_after = kNextName};
  if (!created) return fail("create backup " + backup, std::move(created).error());
  context_.log.info("a schedule has begun a backup", {{"schedule", name}, {"backup", backup}});
  TRY("schedule " + name, note_backup(std::move(schedule), now, stop));
  return look_again(now);
}

Status ScheduleReconciler::note_backup(Json schedule, WallTime when, const std::stop_token& stop) const {
  const Json before = schedule;
  TRY("", api::set_status_time(schedule, api::field::kLastBackup, when));
  return write_change(context_.objects(api::kSchedule), before, schedule, stop);
}

}  // namespace landfall::control
