#include "hooks/restore_hook_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "base/strings.h"
#include "hooks/hook_log.h"
#include "hooks/pod_hooks.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/cache.h"

namespace landfall::hooks {
namespace {

using k8s::NamespacedName;
using kube::Object;

const k8s::GroupVersionResource kPods{"", "v1", "pods"};
// A pod that the watch does not show after this time is looked for by itself.
constexpr Duration kLookAfter = std::chrono::seconds(10);
constexpr std::size_t kMaxNamed = 3;

// The pods of one namespace, while any of them has hooks to run.
struct NamespaceWatch {
  NamespaceWatch(RestoreHookRun::Tools& tools, const std::string& name_space, kube::Cache::OnChange on_change)
      : cache(kube::Resource(tools.client, kPods, name_space), {}, tools.random, tools.log) {
    cache.on_change(std::move(on_change));
    thread = std::jthread([this](const std::stop_token& stop) { cache.run(stop); });
  }
  kube::Cache cache;
  std::jthread thread;
};

// A pod that has hooks. Its hooks are run by one thread at a time; everything is changed under the lock.
struct PodRun {
  PodHooks hooks;
  std::string uid;
  Object latest;         // null: it is gone
  bool is_seen = false;  // by the watch, which from then on tells whatever happens to it
  SteadyTime look_at = kNever;
  SteadyTime timer = kNever;
  bool is_queued = false;
  bool is_busy = false;
  bool is_touched = false;  // something happened while it was busy

  bool is_same(const Object& object) const {
    return object != nullptr && (uid.empty() || k8s::ObjectView(*object).uid() == uid);
  }
};

struct State {
  std::map<NamespacedName, PodRun> pods;
  std::deque<NamespacedName> ready;
  std::set<std::pair<SteadyTime, NamespacedName>> timers;
  std::map<std::string, std::shared_ptr<NamespaceWatch>> watches;
  std::map<std::string, std::size_t> unfinished_in;  // by namespace
  std::size_t unfinished = 0;
  std::vector<std::jthread> workers;
  std::jthread alarm;

  SteadyTime first_timer() const { return timers.empty() ? kNever : timers.begin()->first; }

  void set_timer(const NamespacedName& name, PodRun& pod, SteadyTime at) {
    if (pod.timer != kNever) timers.erase({pod.timer, name});
    pod.timer = at;
    if (at != kNever) timers.emplace(at, name);
  }

  void enqueue(const NamespacedName& name, PodRun& pod) {
    if (pod.is_busy) {
      pod.is_touched = true;
    } else if (!pod.is_queued && !pod.hooks.is_over()) {
      pod.is_queued = true;
      ready.push_back(name);
    }
  }
};

}  // namespace

struct RestoreHookRun::Impl {
  Impl(RestoreHooks the_hooks, Tools the_tools, HookRecords the_known)
      : hooks(std::move(the_hooks)), tools(std::move(the_tools)), known(std::move(the_known)) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start(State& state, const NamespacedName& name, PodRun pod);
  void hear(const kube::CacheChange& change);
  void wake_in_time(const std::stop_token& stop);
  void work(const std::stop_token& stop);
  void handle(const NamespacedName& name, const std::stop_token& stop);
  void look_for(const NamespacedName& name, const std::stop_token& stop);
  bool run_one(const NamespacedName& name, std::size_t index, const std::stop_token& stop);
  void end(const NamespacedName& name, const PodHook& hook, std::size_t index, const std::string& error);
  void let_go(const NamespacedName& name);
  Logger log_of(const NamespacedName& name) const;

  const RestoreHooks hooks;
  Tools tools;
  const HookRecords known;
  std::stop_source stop;
  Monitor<State> state;
};

RestoreHookRun::Impl::~Impl() {
  stop.request_stop();
  // The threads take the lock while they end, so they are waited for without it.
  std::vector<std::jthread> threads;
  std::map<std::string, std::shared_ptr<NamespaceWatch>> watches;
  state.update([&](State& now) {
    threads.swap(now.workers);
    threads.push_back(std::move(now.alarm));
    watches.swap(now.watches);
  });
  for (const auto& [name_space, watch] : watches) watch->thread.request_stop();
  threads.clear();
}

Logger RestoreHookRun::Impl::log_of(const NamespacedName& name) const {
  return tools.log.with({{"resource", "pods"},
                         {"namespace", name.name_space},
                         {"name", name.name},
                         {"hookType", "exec"},
                         {"hookPhase", "post"}});
}

void RestoreHookRun::Impl::start(State& now, const NamespacedName& name, PodRun pod) {
  PodRun& added = now.pods.emplace(name, std::move(pod)).first->second;
  if (added.hooks.is_over()) return;
  ++now.unfinished;
  ++now.unfinished_in[name.name_space];
  auto& watch = now.watches[name.name_space];
  if (!watch) {
    watch = std::make_shared<NamespaceWatch>(tools, name.name_space,
                                             [this](const kube::CacheChange& change) { hear(change); });
  }
  now.enqueue(name, added);
  if (!now.alarm.joinable()) {
    now.alarm = std::jthread([this] { wake_in_time(stop.get_token()); });
  }
  const auto most = static_cast<std::size_t>(std::max(tools.max_at_once, 1));
  if (now.workers.size() < std::min(most, now.unfinished)) {
    now.workers.emplace_back([this] { work(stop.get_token()); });
  }
}

// On the watch's thread.
void RestoreHookRun::Impl::hear(const kube::CacheChange& change) {
  // A pod that is added after this look finds the change in the cache.
  if (!state.with([&](const State& now) { return now.pods.contains(change.name); })) return;
  state.update([&](State& now) {
    PodRun& pod = now.pods.at(change.name);
    if (pod.hooks.is_over()) return;
    if (pod.is_same(change.after)) {
      pod.latest = change.after;
    } else if (pod.is_same(change.before)) {
      pod.latest = nullptr;
    } else {
      return;  // one of the same name that was there before
    }
    pod.is_seen = true;
    now.enqueue(change.name, pod);
  });
}

void RestoreHookRun::Impl::wake_in_time(const std::stop_token& stopped) {
  while (!stopped.stop_requested()) {
    const SteadyTime next = state.with([](const State& now) { return now.first_timer(); });
    state.wait_until(tools.clock, stopped, next, [&](const State& now) { return now.first_timer() != next; });
    const SteadyTime time = tools.clock.now();
    if (time < next) continue;
    state.update([&](State& now) {
      while (now.first_timer() <= time) {
        const NamespacedName name = now.timers.begin()->second;
        PodRun& pod = now.pods.at(name);
        now.set_timer(name, pod, kNever);
        now.enqueue(name, pod);
      }
    });
  }
}

void RestoreHookRun::Impl::work(const std::stop_token& stopped) {
  NamespacedName name;
  const auto take_next = [&](State& now) {
    name = now.ready.front();
    now.ready.pop_front();
    PodRun& pod = now.pods.at(name);
    pod.is_queued = false;
    pod.is_busy = true;
    pod.is_touched = false;
  };
  while (
      state.wait_then(tools.clock, stopped, kNever, [](const State& now) { return !now.ready.empty(); }, take_next)) {
    if (stopped.stop_requested()) return;
    handle(name, stopped);
  }
}

void RestoreHookRun::Impl::handle(const NamespacedName& name, const std::stop_token& stopped) {
  look_for(name, stopped);
  while (!stopped.stop_requested()) {
    std::vector<PodHook> all;
    const PodHooks::Decision decision = state.with([&](const State& now) {
      const PodRun& pod = now.pods.at(name);
      all = pod.hooks.all();
      return pod.hooks.decide(pod.latest.get(), tools.clock.now());
    });
    if (decision.run.empty() && decision.fail.empty()) break;
    for (const auto& [index, why] : decision.fail) {
      logger_of(all[index].plan.hook, log_of(name)).error(why);
      end(name, all[index], index, why);
    }
    for (const std::size_t index : decision.run) {
      if (!run_one(name, index, stopped)) break;
    }
  }
  let_go(name);
}

// Finds out about a pod that the watch has not shown yet. It is just being created, as a rule; but it may have been
// there, and gone, between two looks of the watch.
void RestoreHookRun::Impl::look_for(const NamespacedName& name, const std::stop_token& stopped) {
  const SteadyTime time = tools.clock.now();
  std::shared_ptr<NamespaceWatch> watch;
  bool is_time = false;
  state.with([&](const State& now) {
    const PodRun& pod = now.pods.at(name);
    const auto found = now.watches.find(name.name_space);
    if (pod.is_seen || found == now.watches.end()) return;
    watch = found->second;
    is_time = pod.look_at <= time;
  });
  if (!watch) return;
  const Object cached = watch->cache.get(name);
  Object read;
  bool is_read = false;
  if (is_time) {
    auto got = kube::Resource(tools.client, kPods, name.name_space).within(kLookAfter).get(name.name, stopped);
    is_read = got || got.error().code() == Code::kNotFound;
    if (got) read = std::make_shared<const json::Json>(*std::move(got));
  }
  state.update([&](State& now) {
    PodRun& pod = now.pods.at(name);
    if (pod.is_seen) return;
    if (is_time) pod.look_at = tools.clock.after(kLookAfter);
    if (pod.is_same(cached)) {
      pod.latest = cached;
      pod.is_seen = true;
    } else if (is_read) {
      pod.latest = pod.is_same(read) ? read : nullptr;
    }
  });
}

// False: the hooks after it are not run for now.
bool RestoreHookRun::Impl::run_one(const NamespacedName& name, std::size_t index, const std::stop_token& stopped) {
  if (stopped.stop_requested()) return false;
  std::string title;
  const PodHook hook = state.with([&](const State& now) {
    const PodHooks& pod = now.pods.at(name).hooks;
    title = pod.title(pod.all()[index]);
    return pod.all()[index];
  });
  const Logger log = logger_of(hook.plan.hook, log_of(name));
  if (hook.is_begun) log.info("running the hook again: it was begun before, and its end was not seen");
  if (tools.on_begin) {
    const Status written = tools.on_begin(hook.id);
    if (!written) log.warning("the beginning of the hook could not be recorded", {LogField(written.error())});
  }
  if (stopped.stop_requested()) return false;
  state.update([&](State& now) { now.pods.at(name).hooks.begin(index); });
  const Status ran = run_hook(tools.exec, name, hook.plan.hook, log, stopped);
  if (!ran && stopped.stop_requested() && ran.error().code() == Code::kCancelled) return false;
  if (!ran) log.error("Error executing hook", {LogField(ran.error())});
  end(name, hook, index, ran ? "" : title + " failed: " + ran.error().message());
  return ran.has_value() || !hook.plan.hook.is_fatal();
}

void RestoreHookRun::Impl::end(const NamespacedName& name, const PodHook& hook, std::size_t index,
                               const std::string& error) {
  // First it is written, then it counts: whoever sees that all is over may forget the records.
  if (tools.on_end) tools.on_end(hook.id, error);
  state.update([&](State& now) { now.pods.at(name).hooks.end(index, error); });
}

void RestoreHookRun::Impl::let_go(const NamespacedName& name) {
  std::shared_ptr<NamespaceWatch> unneeded;  // ends without the lock, which its thread may want
  state.update([&](State& now) {
    PodRun& pod = now.pods.at(name);
    pod.is_busy = false;
    if (!pod.hooks.is_over()) {
      now.set_timer(name, pod, std::min(pod.hooks.next_expiry(), pod.is_seen ? kNever : pod.look_at));
      if (pod.is_touched) now.enqueue(name, pod);
      return;
    }
    now.set_timer(name, pod, kNever);
    pod.latest = nullptr;
    --now.unfinished;
    const auto left = now.unfinished_in.find(name.name_space);
    if (--left->second > 0) return;
    now.unfinished_in.erase(left);
    const auto watch = now.watches.find(name.name_space);
    if (watch == now.watches.end()) return;  // being destroyed
    unneeded = std::move(watch->second);
    now.watches.erase(watch);
  });
}

RestoreHookRun::RestoreHookRun(RestoreHooks hooks, Tools tools, HookRecords known)
    : impl_(std::make_unique<Impl>(std::move(hooks), std::move(tools), std::move(known))) {}

RestoreHookRun::~RestoreHookRun() = default;

const RestoreHooks& RestoreHookRun::hooks() const { return impl_->hooks; }

bool RestoreHookRun::add(const json::Json& pod) {
  const k8s::ObjectView view(pod);
  const NamespacedName name = view.namespaced_name();
  std::vector<std::string> warnings;
  std::vector<PlannedRestoreHook> plan = impl_->hooks.exec_hooks(pod, warnings);
  for (const std::string& warning : warnings) impl_->log_of(name).warning(warning);
  if (plan.empty()) return false;
  Clock& clock = impl_->tools.clock;
  PodRun added{.hooks = PodHooks(name, std::move(plan), impl_->known, clock),
               .uid = std::string(view.uid()),
               .latest = std::make_shared<const json::Json>(pod),
               .look_at = clock.after(kLookAfter)};
  impl_->state.update([&](State& now) {
    if (!now.pods.contains(name)) impl_->start(now, name, std::move(added));
  });
  return true;
}

void RestoreHookRun::add_missing(const std::string& name_space, const std::string& pod, const std::string& why) {
  const NamespacedName name{name_space, pod};
  PodRun added{.hooks = PodHooks::missing(name, why, impl_->known)};
  impl_->log_of(name).warning("the pod is not there any more; its hooks cannot be run: " + why);
  impl_->state.update([&](State& now) {
    if (!now.pods.contains(name)) impl_->start(now, name, std::move(added));
  });
}

bool RestoreHookRun::wait(SteadyTime deadline, const std::stop_token& stop) {
  return impl_->state.wait_until(impl_->tools.clock, stop, deadline,
                                 [](const State& now) { return now.unfinished == 0; });
}

HookCounts RestoreHookRun::counts() const {
  return impl_->state.with([](const State& now) {
    HookCounts counts;
    for (const auto& [name, pod] : now.pods) {
      for (const PodHook& hook : pod.hooks.all()) {
        if (hook.is_begun || hook.is_over) ++counts.attempted;
        if (hook.is_over && !hook.error.empty()) ++counts.failed;
      }
    }
    return counts;
  });
}

std::vector<RestoreHookRun::Failure> RestoreHookRun::failures() const {
  return impl_->state.with([](const State& now) {
    std::vector<Failure> failures;
    for (const auto& [name, pod] : now.pods) {
      for (const PodHook& hook : pod.hooks.all()) {
        if (hook.is_over && !hook.error.empty()) failures.push_back({name.name_space, hook.error});
      }
    }
    return failures;
  });
}

std::string RestoreHookRun::waiting_for() const {
  return impl_->state.with([](const State& now) {
    std::vector<std::string> named;
    for (const auto& [name, pod] : now.pods) {
      if (named.size() == kMaxNamed) break;
      if (!pod.hooks.is_over()) named.push_back(pod.hooks.waiting_for());
    }
    std::string text = join(named, ", ");
    if (now.unfinished > named.size()) text += " and " + std::to_string(now.unfinished - named.size()) + " more";
    return text;
  });
}

}  // namespace landfall::hooks
