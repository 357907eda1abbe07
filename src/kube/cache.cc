#include "kube/cache.h"

#include "base/backoff.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::kube {
namespace {

constexpr BackoffPolicy kAgain{.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(30)};
// Watches end by themselves after five to ten minutes, not all at the same moment.
constexpr Duration kShortestWatch = std::chrono::minutes(5);
constexpr Duration kShort = std::chrono::seconds(1);

bool same_version(const Object& known, const json::Json& object) {
  return known && k8s::ObjectView(*known).resource_version() == k8s::ObjectView(object).resource_version() &&
         k8s::ObjectView(*known).uid() == k8s::ObjectView(object).uid();
}

}  // namespace

Cache::Cache(Resource resource, ListOptions selection, Random& random, Logger log)
    : resource_(std::move(resource)),
      selection_(std::move(selection)),
      random_(random),
      log_(log.with({{"resource", k8s::to_string(resource_.id().group_resource())}})),
      clock_(resource_.client().clock()) {}

void Cache::on_change(OnChange handler) { handlers_.push_back(std::move(handler)); }

void Cache::run(const std::stop_token& stop) {
  Backoff backoff(kAgain, random_);
  while (!stop.stop_requested()) {
    const SteadyTime began = clock_.now();
    const std::string version_before = version_;
    const bool is_list = version_.empty();
    const Status status = is_list ? list_all(stop) : watch_on(stop);
    if (stop.stop_requested()) {
      return;
    }
    // What held for a while or brought something was good, however it ended.
    const bool was_short = clock_.now() - began < kShort;
    if (!was_short || (!is_list && version_ != version_before)) {
      backoff.reset();
    }
    if (!status && status.error().code() == Code::kGone) {
      log_.info("listing again: the server has forgotten the version we were at");
      version_.clear();
    } else if (!status) {
      log_.warning("the API server could not be read; trying again", {LogField(status.error())});
    }
    // A list is followed by its watch at once. A watch that ends again and again at once must not become a busy loop.
    if (!status || (!is_list && was_short)) {
      clock_.sleep_for(backoff.next(), stop);
    }
  }
}

Status Cache::list_all(const std::stop_token& stop) {
  TRY_ASSIGN(ObjectList list, "list", resource_.list(selection_, stop));
  replace(std::move(list.items));
  version_ = std::move(list.resource_version);
  state_.update([](State& state) { state.is_synced = true; });
  return {};
}

Status Cache::watch_on(const std::stop_token& stop) {
  WatchOptions options{.selection = selection_, .resource_version = version_};
  options.server_timeout = kShortestWatch + std::chrono::seconds(random_.uniform(300));
  return watch(
      resource_, options,
      [&](WatchEventType type, json::Json& object) -> Result<bool> {
        std::string version(k8s::ObjectView(object).resource_version());
        if (type != WatchEventType::kBookmark) {
          apply(type, object);
        }
        version_ = std::move(version);
        return true;
      },
      stop);
}

void Cache::replace(std::vector<json::Json> items) {
  Objects fresh;
  for (json::Json& item : items) {
    const k8s::NamespacedName name = k8s::ObjectView(item).namespaced_name();
    fresh[name] = std::make_shared<const json::Json>(std::move(item));
  }
  std::vector<CacheChange> changes;
  state_.update([&](State& state) {
    for (const auto& [name, before] : state.objects) {
      if (!fresh.contains(name)) {
        changes.push_back({.name = name, .before = before, .after = nullptr});
      }
    }
    for (auto& [name, after] : fresh) {
      const auto known = state.objects.find(name);
      const Object before = known == state.objects.end() ? nullptr : known->second;
      if (same_version(before, *after)) {
        after = before;
      } else {
        changes.push_back({.name = name, .before = before, .after = after});
      }
    }
    state.objects = std::move(fresh);
  });
  for (const CacheChange& change : changes) {
    tell(change);
  }
}

void Cache::apply(WatchEventType type, json::Json& object) {
  CacheChange change{.name = k8s::ObjectView(object).namespaced_name(), .before = nullptr, .after = nullptr};
  const bool changed = state_.update([&](State& state) {
    const auto known = state.objects.find(change.name);
    change.before = known == state.objects.end() ? nullptr : known->second;
    if (type == WatchEventType::kDeleted) {
      if (change.before) {
        state.objects.erase(known);
      }
      return change.before != nullptr;
    }
    if (same_version(change.before, object)) {
      return false;
    }
    change.after = std::make_shared<const json::Json>(std::move(object));
    state.objects[change.name] = change.after;
    return true;
  });
  if (changed) {
    tell(change);
  }
}

void Cache::tell(const CacheChange& change) const {
  for (const OnChange& handler : handlers_) {
    handler(change);
  }
}

bool Cache::wait_synced(SteadyTime deadline, const std::stop_token& stop) {
  return state_.wait_until(clock_, stop, deadline, [](const State& state) { return state.is_synced; });
}

bool Cache::is_synced() const {
  return state_.with([](const State& state) { return state.is_synced; });
}

Object Cache::get(const k8s::NamespacedName& name) const {
  return state_.with([&](const State& state) {
    const auto found = state.objects.find(name);
    return found == state.objects.end() ? nullptr : found->second;
  });
}

std::vector<Object> Cache::list() const {
  return state_.with([](const State& state) {
    std::vector<Object> all;
    all.reserve(state.objects.size());
    for (const auto& [name, object] : state.objects) {
      all.push_back(object);
    }
    return all;
  });
}

std::size_t Cache::size() const {
  return state_.with([](const State& state) { return state.objects.size(); });
}

}  // namespace landfall::kube
