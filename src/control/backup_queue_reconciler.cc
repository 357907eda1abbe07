#include "control/backup_queue_reconciler.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/backup.h"
#include "api/labels.h"
#include "api/status.h"
#include "control/change.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "selection/namespace_filter.h"

namespace landfall::control {
namespace {

using api::BackupPhase;
using json::Json;
using kube::Reconciled;
using selection::LiveNamespace;

constexpr Duration kLookAgain = std::chrono::minutes(1);

using NamespaceSet = std::set<std::string, std::less<>>;

bool overlap(const NamespaceSet& a, const NamespaceSet& b) {
  const NamespaceSet& small = a.size() < b.size() ? a : b;
  const NamespaceSet& large = a.size() < b.size() ? b : a;
  return std::ranges::any_of(small, [&](const std::string& name) { return large.contains(name); });
}

// The namespaces that a Backup takes, those that are not there yet included.
NamespaceSet namespaces_of(const Json& backup, const std::vector<LiveNamespace>& live) {
  const auto spec = api::read_backup_spec(backup);
  if (!spec) return {};
  const auto filter = selection::NamespaceFilter::make(spec->included_namespaces, spec->excluded_namespaces, live);
  if (!filter) return {};
  NamespaceSet names(filter->missing().begin(), filter->missing().end());
  for (const LiveNamespace& one : live) {
    if (filter->ask(one.name)) names.insert(one.name);
  }
  return names;
}

// By place, then by age; a Backup without a place stands behind those that have one.
auto place_of(const Json& backup) {
  const std::int64_t place = api::status_count(backup, api::field::kQueuePosition);
  const k8s::ObjectView view(backup);
  return std::tuple(place > 0 ? place : std::numeric_limits<std::int64_t>::max(),
                    view.creation_timestamp().value_or(WallTime::max()), std::string(view.name()));
}

bool stands_before(const Json& a, const Json& b) { return place_of(a) < place_of(b); }

// One look at the queue.
class Look {
 public:
  Look(const Context& context, int concurrent, const std::stop_token& stop)
      : context_(context),
        backups_(context.objects(api::kBackup)),
        concurrent_(static_cast<std::size_t>(std::max(concurrent, 1))),
        stop_(stop) {}

  // How many still wait.
  Result<std::size_t> run() {
    TRY_ASSIGN(kube::ObjectList all, "list backups", backups_.list({}, stop_));
    for (Json& backup : all.items) TRY("", sort_in(std::move(backup)));
    TRY("", give_places());
    TRY("", start_those_that_can());
    TRY("", close_ranks());
    return waiting_.size();
  }

 private:
  Status sort_in(Json backup) {
    using enum BackupPhase;
    const auto phase = api::phase_of<BackupPhase>(backup);
    if (k8s::ObjectView(backup).is_being_deleted()) return {};  // nobody runs it any more
    if (phase == kReadyToStart || phase == kInProgress) {
      active_.push_back(std::move(backup));
      return {};
    }
    if (phase != kNew && phase != kQueued) return {};
    if (api::is_cancel_wanted(backup)) return cancel(backup);
    // A place means nothing before it is in the queue.
    if (phase == kNew) TRY("", api::set_status_count(backup, api::field::kQueuePosition, 0));
    waiting_.push_back(std::move(backup));
    return {};
  }

  Status cancel(Json& backup) {
    const auto change = [&](Json& object) -> Status {
      TRY("", api::set_canceled(object));
      TRY("", api::set_status_count(object, api::field::kQueuePosition, 0));
      // So that it goes some day, as any other.
      TRY("",
          api::set_status_time(object, api::field::kExpiration, context_.clock.wall_now() + api::BackupDefaults().ttl));
      return api::set_status_time(object, api::field::kCompletionTimestamp, context_.clock.wall_now());
    };
    TRY_ASSIGN(const bool is_there, "cancel backup", write(backup, change));
    if (is_there) {
      context_.log.info("a backup was cancelled before it began", {{"backup", k8s::ObjectView(backup).name()}});
    }
    return {};
  }

  Status give_places() {
    std::ranges::sort(waiting_, stands_before);
    std::int64_t last = 0;
    for (const Json& backup : waiting_) last = std::max(last, api::status_count(backup, api::field::kQueuePosition));
    return change_all([&](Json& backup) -> Status {
      if (api::status_count(backup, api::field::kQueuePosition) == 0) {
        TRY("", api::set_status_count(backup, api::field::kQueuePosition, ++last));
      }
      return api::set_phase(backup, BackupPhase::kQueued);
    });
  }

  Status start_those_that_can() {
    std::size_t free = concurrent_ - std::min(concurrent_, active_.size());
    if (free == 0 || waiting_.empty()) return {};
    std::vector<LiveNamespace> live;
    // With one at a time there is nobody to get in the way of.
    if (concurrent_ > 1) {
      TRY_ASSIGN(live, "", live_namespaces());
    }
    std::vector<NamespaceSet> ahead;
    ahead.reserve(active_.size() + waiting_.size());
    for (const Json& backup : active_) ahead.push_back(namespaces_of(backup, live));
    std::vector<Json> left;
    for (Json& backup : waiting_) {
      if (free == 0) {
        left.push_back(std::move(backup));
        continue;
      }
      const NamespaceSet& its = ahead.emplace_back(namespaces_of(backup, live));
      const bool is_held_up =
          std::any_of(ahead.begin(), ahead.end() - 1, [&](const NamespaceSet& other) { return overlap(its, other); });
      if (is_held_up) {
        left.push_back(std::move(backup));
        continue;
      }
      TRY_ASSIGN(const bool is_there, "start backup", write(backup, make_ready));
      if (is_there) --free;
    }
    waiting_ = std::move(left);
    return {};
  }

  static Status make_ready(Json& backup) {
    TRY("", api::set_phase(backup, BackupPhase::kReadyToStart));
    return api::set_status_count(backup, api::field::kQueuePosition, 0);
  }

  Status close_ranks() {
    std::int64_t place = 0;
    return change_all([&](Json& backup) { return api::set_status_count(backup, api::field::kQueuePosition, ++place); });
  }

  Result<std::vector<LiveNamespace>> live_namespaces() const {
    const kube::Resource namespaces(context_.client, {"", "v1", "namespaces"});
    TRY_ASSIGN(const kube::ObjectList list, "list namespaces", namespaces.list({}, stop_));
    std::vector<LiveNamespace> live;
    for (const Json& one : list.items) {
      const k8s::ObjectView view(one);
      live.push_back({.name = std::string(view.name()),
                      .has_exclude_label =
                          view.labels().get(std::string(api::label::kExcludeFromBackup)) == std::optional("true")});
    }
    return live;
  }

  // Those that are gone meanwhile leave the queue.
  template <class Change>
  Status change_all(const Change& change) {
    std::vector<Json> left;
    for (Json& backup : waiting_) {
      TRY_ASSIGN(const bool is_there, "queue", write(backup, change));
      if (is_there) left.push_back(std::move(backup));
    }
    waiting_ = std::move(left);
    return {};
  }

  // Only if nobody has changed it since it was listed: it may be on its way to be deleted. False when it is gone.
  template <class Change>
  Result<bool> write(Json& backup, const Change& change) {
    const Json before = backup;
    TRY("", change(backup));
    const Status written = write_change(backups_, before, backup, stop_, IfChanged::kConflict);
    if (!written && written.error().code() == Code::kNotFound) return false;
    TRY("", written);
    return true;
  }

  const Context& context_;
  const kube::Resource backups_;
  const std::size_t concurrent_;
  const std::stop_token& stop_;
  std::vector<Json> active_;   // ReadyToStart, InProgress
  std::vector<Json> waiting_;  // New and Queued, in their order
};

}  // namespace

Result<Reconciled> BackupQueueReconciler::reconcile(const k8s::NamespacedName& /*name*/, const std::stop_token& stop) {
  const std::scoped_lock lock(one_at_a_time_);
  TRY_ASSIGN(const std::size_t waiting, "", Look(context_, settings_.concurrent_backups, stop).run());
  // Namespaces come and go without anyone telling us.
  return waiting == 0 ? Reconciled{} : Reconciled{.again_after = kLookAgain};
}

}  // namespace landfall::control
