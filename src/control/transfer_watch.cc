#include "control/transfer_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/status.h"
#include "control/change.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;

namespace {

// How soon it is looked why nobody takes a volume, and how often again.
constexpr Duration kSuspicion = std::chrono::seconds(10);
// How long it may take to tell all of them to end.
constexpr Duration kCancelTime = std::chrono::seconds(30);

constexpr std::size_t kLooksAtOnce = 100;

constexpr std::string_view kWaits = "waits";

bool is_over(const Json& object) {
  const auto phase = api::phase_of<api::TransferPhase>(object);
  return phase && api::is_final(*phase);
}

// The watch may be behind what was read at the object itself: one that is over stays so.
bool is_older(const kube::Object& told, const kube::Object& known) {
  if (!known || !is_over(*known) || is_over(*told)) return false;
  return k8s::ObjectView(*told).uid() == k8s::ObjectView(*known).uid();
}

}  // namespace

TransferWatch::TransferWatch(const Context& context, const api::Kind& kind, const std::string& label_selector,
                             std::function<void()> on_change)
    : context_(context),
      resource_(context.objects(kind)),
      on_change_(std::move(on_change)),
      cache_(resource_, {.label_selector = label_selector}, context.random, context.log) {
  cache_.on_change([this](const kube::CacheChange& change) {
    seen_.update([&](Seen& seen) {
      if (change.after) {
        kube::Object& known = seen.objects[change.name.name];
        if (!is_older(change.after, known)) known = change.after;
      } else {
        seen.objects.erase(change.name.name);
        seen.gone.insert(change.name.name);
      }
    });
    on_change_();
  });
  thread_ = std::jthread([this](const std::stop_token& stop) { cache_.run(stop); });
}

std::set<std::string> TransferWatch::open_ones(const Seen& seen, const std::set<std::string>& names) {
  std::set<std::string> open;
  for (const std::string& name : names) {
    if (seen.gone.contains(name)) continue;
    const auto found = seen.objects.find(name);
    if (found == seen.objects.end() || !is_over(*found->second)) open.insert(name);
  }
  return open;
}

std::set<std::string> TransferWatch::names() const {
  return seen_.with([](const Seen& seen) {
    std::set<std::string> names;
    for (const auto& [name, object] : seen.objects) names.insert(name);
    return names;
  });
}

void TransferWatch::made(Json object) {
  const std::string name(k8s::ObjectView(object).name());
  seen_.update([&](Seen& seen) {
    if (!seen.gone.contains(name)) seen.objects.try_emplace(name, std::make_shared<const Json>(std::move(object)));
  });
}

kube::Object TransferWatch::get(const std::string& name) const {
  return seen_.with([&](const Seen& seen) {
    const auto found = seen.objects.find(name);
    return found == seen.objects.end() ? nullptr : found->second;
  });
}

std::set<std::string> TransferWatch::wait(const std::set<std::string>& names, SteadyTime deadline,
                                          const std::stop_token& stop) {
  seen_.wait_until(context_.clock, stop, deadline, [&](const Seen& seen) { return open_ones(seen, names).empty(); });
  return seen_.with([&](const Seen& seen) { return open_ones(seen, names); });
}

std::set<std::string> TransferWatch::wait(const std::set<std::string>& names, SteadyTime deadline,
                                          const Explain& explain, const std::stop_token& stop) {
  std::string last_looked_at;
  while (true) {
    const SteadyTime until = std::min(deadline, context_.clock.after(kSuspicion));
    std::set<std::string> open = wait(names, until, stop);
    if (open.empty() || stop.stop_requested() || context_.clock.now() >= deadline) return open;
    // A part of them in each round: with thousands the API server has better things to do.
    auto next = open.upper_bound(last_looked_at);
    for (std::size_t i = 0; i < std::min(open.size(), kLooksAtOnce); ++i, ++next) {
      if (next == open.end()) next = open.begin();
      look(*next, explain, stop);
      last_looked_at = *next;
    }
  }
}

// At the object itself rather than at what the watch has told: it may have come and gone before the watch began, and a
// watch that has missed something must not cost hours.
void TransferWatch::look(const std::string& name, const Explain& explain, const std::stop_token& stop) {
  auto found = resource_.get(name, stop);
  if (!found && found.error().code() != Code::kNotFound) return;
  if (!found) {
    seen_.update([&](Seen& seen) {
      seen.objects.erase(name);
      seen.gone.insert(name);
    });
    return;
  }
  const kube::Object object = std::make_shared<const Json>(*std::move(found));
  if (is_over(*object)) {
    seen_.update([&](Seen& seen) { seen.objects[name] = object; });
    return;
  }
  const std::string message = explain(*object, stop);
  const std::string before = api::status_text(*object, api::field::kMessage);
  // What others have said stays when there is nothing to say.
  if (stop.stop_requested() || message == before || (message.empty() && !before.starts_with(kWaits))) return;
  Json changed = *object;
  if (!api::set_status_text(changed, api::field::kMessage, message)) return;
  // Best effort: the agent may be at it in this moment.
  const Status written = write_change(resource_, *object, changed, stop, IfChanged::kConflict);
  if (!written) context_.log.debug("what a volume waits for was not written", {LogField(written.error())});
}

void TransferWatch::cancel(const std::set<std::string>& names) const {
  const SteadyTime deadline = context_.clock.after(kCancelTime);
  for (const std::string& name : names) {
    const Duration left = deadline - context_.clock.now();
    if (left <= Duration::zero()) return;
    const auto told = resource_.within(left).patch(name, kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}}, {});
    if (!told && told.error().code() != Code::kNotFound) {
      context_.log.warning("A volume could not be told to end", {{"name", name}, LogField(told.error())});
    }
  }
}

}  // namespace landfall::control
