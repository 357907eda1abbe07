#include "agent/transfer.h"

#include <chrono>
#include <utility>

#include "agent/progress_patches.h"
#include "api/labels.h"
#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "control/change.h"
#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::agent {

using api::TransferPhase;
using json::Json;

namespace {

// One call to the API server. What there is to do at a stop fits into its grace.
constexpr Duration kCallTime = std::chrono::seconds(10);
// The last progress. Where it matters, the end of the transfer says it again.
constexpr Duration kLastProgress = std::chrono::seconds(2);
// How long, and how often, the API server is told how a transfer has come out: else all of it would be done anew.
constexpr Duration kInsistence = std::chrono::minutes(30);
constexpr Duration kPause = std::chrono::milliseconds(500);

progress::ByteProgress complete(ByteCount total) {
  return {.bytes = {.total = total, .done = total}, .step = progress::ByteStep::kFinishing};
}

}  // namespace

bool is_over(const Json& object) {
  const auto phase = api::phase_of<TransferPhase>(object);
  return !phase || api::is_final(*phase);
}

bool is_cancel_wanted(const Json& object) {
  return json::bool_or(object, {"spec", "cancel"}, false) || k8s::ObjectView(object).is_being_deleted();
}

Transfer::Transfer(const AgentContext& context, ActiveTransfers& active, api::Kind kind, Json object)
    : context_(context),
      active_(active),
      kind_(kind),
      objects_(context.objects(kind).within(kCallTime)),
      object_(std::move(object)),
      log_(context.log.with({{std::string(kind.name), std::string(k8s::ObjectView(object_).name())}})) {}

// False when it is gone, or another one has its name.
Result<bool> Transfer::refresh(const std::stop_token& stop) {
  auto now = objects_.get(std::string(k8s::ObjectView(object_).name()), stop);
  if (!now && now.error().code() == Code::kNotFound) return false;
  if (!now) return fail("", std::move(now).error());
  if (k8s::ObjectView(*now).uid() != k8s::ObjectView(object_).uid()) return false;
  object_ = *std::move(now);
  return true;
}

// Nobody may have changed it meanwhile: it may be cancelled, or over.
Status Transfer::change(const std::function<Status(Json& object)>& make, const std::stop_token& stop) {
  Json after = object_;
  TRY("", make(after));
  TRY("", control::write_change(objects_, object_, after, stop, control::IfChanged::kConflict));
  object_ = std::move(after);
  return {};
}

Status Transfer::begin(const std::stop_token& stop) {
  return change(
      [&](Json& object) -> Status {
        const WallTime now = context_.clock.wall_now();
        TRY("", k8s::add_finalizer(object, api::finalizer::kPodVolume));
        if (!api::status_time(object, api::field::kAcceptedTimestamp)) {
          TRY("", api::set_status_time(object, api::field::kAcceptedTimestamp, now));
        }
        if (!api::status_time(object, api::field::kStartTimestamp)) {
          TRY("", api::set_status_time(object, api::field::kStartTimestamp, now));
        }
        TRY("", api::set_status_text(object, api::field::kMessage, ""));
        // Of a PodVolumeBackup the spec says it.
        if (kind_ == api::kPodVolumeRestore) TRY("", api::set_status_text(object, "node", context_.node));
        return api::set_phase(object, TransferPhase::kInProgress);
      },
      stop);
}

Status Transfer::end(const Ending& ending, const std::stop_token& stop) {
  // The progress has been written beside us: what is there now is the base.
  TRY_ASSIGN(const bool is_there, "", refresh(stop));
  if (!is_there || is_over(object_)) return {};
  return change(
      [&](Json& object) -> Status {
        TRY("", api::set_phase(object, ending.phase));
        TRY("", api::set_status_text(object, api::field::kMessage, ending.message));
        TRY("", api::set_status_time(object, api::field::kCompletionTimestamp, context_.clock.wall_now()));
        // Has been published, unless the API server did not answer.
        if (ending.total) TRY("", api::set_byte_progress(object, complete(*ending.total)));
        if (ending.note) TRY("", ending.note(object));
        k8s::remove_finalizer(object, api::finalizer::kPodVolume);
        return {};
      },
      stop);
}

Status Transfer::end_surely(const Ending& ending, const std::stop_token& stop) {
  const SteadyTime give_up = context_.clock.after(kInsistence);
  while (true) {
    Status written = end(ending, {});
    if (written || !may_pass(written.error().code())) return written;
    if (stop.stop_requested() || context_.clock.now() >= give_up) return written;
    log_.debug("how it has come out was not written; trying again", {LogField(written.error())});
    context_.clock.sleep_for(kPause, stop);
  }
}

Status Transfer::refuse(const std::string& why, const std::stop_token& stop) {
  log_.warning("refused: " + why);
  return end({.phase = TransferPhase::kFailed, .message = why}, stop);
}

Status Transfer::cancel(const std::stop_token& stop) {
  return end({.phase = TransferPhase::kCanceled, .message = "canceled"}, stop);
}

Status Transfer::note_done(const std::stop_token& stop) {
  const auto shown = api::read_byte_progress(object_);
  return end({.phase = TransferPhase::kCompleted, .total = shown ? shown->bytes.total : std::nullopt}, stop);
}

Status Transfer::release(const std::stop_token& stop) {
  const k8s::ObjectView view(object_);
  if (!view.is_being_deleted() || !view.has_finalizer(api::finalizer::kPodVolume)) return {};
  return change(
      [](Json& object) -> Status {
        k8s::remove_finalizer(object, api::finalizer::kPodVolume);
        return {};
      },
      stop);
}

// It has not begun. A stop leaves it to the next process as it is.
Status Transfer::leave(const ActiveTransfers::Entry& entry, const std::stop_token& stop) {
  if (!entry.is_cancelled()) return {};
  const std::string failure = entry.failure();
  return failure.empty() ? cancel(stop) : refuse(failure, stop);
}

Status Transfer::run(const Work& work, const std::stop_token& stop) {
  ActiveTransfers::Entry entry(active_, std::string(k8s::ObjectView(object_).uid()));
  std::stop_source either;
  const std::stop_callback when_cancelled(entry.cancelled(), [&] { either.request_stop(); });
  const std::stop_callback when_stopped(stop, [&] { either.request_stop(); });
  if (!entry.await_turn(context_.clock, either.get_token())) return leave(entry, stop);
  // That may have taken hours. From here on a cancel reaches the entry.
  TRY_ASSIGN(const bool is_there, "", refresh(stop));
  if (!is_there || is_over(object_)) return {};
  if (is_cancel_wanted(object_)) return cancel(stop);
  if (const Status prepared = work.prepare(either.get_token()); !prepared) {
    if (either.stop_requested()) return leave(entry, stop);
    if (may_pass(prepared.error().code())) return prepared;
    return refuse(prepared.error().message(), stop);
  }
  TRY("", begin(stop));
  return copy(work, entry, either.get_token(), stop);
}

Status Transfer::copy(const Work& work, const ActiveTransfers::Entry& entry, const std::stop_token& either,
                      const std::stop_token& stop) {
  ProgressPatches patches(objects_, object_);
  progress::ByteReporter reporter(context_.clock, log_);
  reporter.subscribe(
      "resource",
      [&](const progress::ByteProgress& now, const std::stop_token& token) { return patches.write(now, token); },
      context_.progress_interval);
  reporter.start();
  const auto outcome = work.copy(reporter, either);

  const bool is_left = !outcome && !entry.is_cancelled() && stop.stop_requested();
  if (is_left) return {};
  const SteadyTime deadline = context_.clock.after(kLastProgress);
  const Status said = outcome ? reporter.finish(outcome->total, deadline, {}) : reporter.abandon(deadline, {});
  if (!said) log_.warning("the last progress was not written", {LogField(said.error())});
  if (!outcome && entry.is_cancelled()) {
    const std::string failure = entry.failure();
    return failure.empty() ? end_surely({.phase = TransferPhase::kCanceled, .message = "canceled"}, stop)
                           : end_surely({.phase = TransferPhase::kFailed, .message = failure}, stop);
  }
  if (!outcome) {
    log_.error(outcome.error().message());
    return end_surely({.phase = TransferPhase::kFailed, .message = outcome.error().message()}, stop);
  }
  const bool is_whole = outcome->failure.empty();
  return end_surely({.phase = is_whole ? TransferPhase::kCompleted : TransferPhase::kFailed,
                     .message = is_whole ? outcome->message : outcome->failure,
                     .total = outcome->total,
                     .note = outcome->note},
                    stop);
}

}  // namespace landfall::agent
