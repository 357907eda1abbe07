#include "cli/object_watch.h"

#include <chrono>
#include <utility>

#include "base/backoff.h"
#include "base/strings.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/watch.h"

namespace landfall::cli {

using json::Json;
using kube::WatchEventType;

namespace {

constexpr BackoffPolicy kAgain{.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(10)};
// A connection that has died without a word is found out soon after the server would have ended the watch.
constexpr Duration kServerTimeout = std::chrono::minutes(1);
constexpr Duration kShort = std::chrono::seconds(1);

// A list mends it: a version that is forgotten, an event that cannot be read.
bool is_of_history(const Error& error) { return error.code() == Code::kGone || error.code() == Code::kDataLoss; }

}  // namespace

ObjectWatch::ObjectWatch(const kube::Resource& resource, std::string name, std::string uid, Random& random)
    : resource_(resource), name_(std::move(name)), uid_(std::move(uid)), random_(random) {}

Status ObjectWatch::follow(const OnSeen& on_seen, const OnTrouble& on_trouble, const std::stop_token& stop) {
  Clock& clock = resource_.client().clock();
  Backoff backoff(kAgain, random_);
  while (true) {
    const SteadyTime began = clock.now();
    const bool is_list = version_.empty();
    const auto found = is_list ? list(on_seen, stop) : watch(on_seen, stop);
    if (found == Found::kEnough) return {};
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (found == Found::kGone) return fail(Code::kNotFound, quote(name_) + " is gone");
    if (!found) {
      if (!is_retryable(found.error().code()) && !is_of_history(found.error())) return fail("", found.error());
      if (!is_of_history(found.error())) on_trouble(found.error());
      version_.clear();  // a list tells that the trouble is over, even if nothing has changed
    }
    // What held for a while was good, however it ended. One that ends again and again at once must not be a busy loop.
    const bool was_short = clock.now() - began < kShort;
    if (!was_short) backoff.reset();
    if ((!found || (!is_list && was_short)) && !clock.sleep_for(backoff.next(), stop)) {
      return fail(Code::kCancelled, "stopped");
    }
  }
}

Result<ObjectWatch::Found> ObjectWatch::list(const OnSeen& on_seen, const std::stop_token& stop) {
  TRY_ASSIGN(kube::ObjectList all, "", resource_.list({.field_selector = "metadata.name=" + name_}, stop));
  if (all.items.empty() || k8s::ObjectView(all.items.front()).uid() != uid_) return Found::kGone;
  version_ = std::move(all.resource_version);
  return on_seen(all.items.front()) ? Found::kMore : Found::kEnough;
}

Result<ObjectWatch::Found> ObjectWatch::watch(const OnSeen& on_seen, const std::stop_token& stop) {
  Found found = Found::kMore;
  const kube::WatchOptions options{.selection = {.field_selector = "metadata.name=" + name_},
                                   .resource_version = version_,
                                   .server_timeout = kServerTimeout};
  const auto on_event = [&](WatchEventType type, Json& object) -> Result<bool> {
    version_ = std::string(k8s::ObjectView(object).resource_version());
    if (type == WatchEventType::kBookmark) return true;
    const bool is_ours = k8s::ObjectView(object).uid() == uid_;
    const bool is_enough = is_ours && !on_seen(object);
    if (is_enough) {
      found = Found::kEnough;
    } else if (!is_ours || type == WatchEventType::kDeleted) {
      found = Found::kGone;
    }
    return found == Found::kMore;
  };
  const Status done = kube::watch(resource_, options, on_event, stop);
  if (found == Found::kMore && !done) return fail("", done.error());
  return found;
}

}  // namespace landfall::cli
