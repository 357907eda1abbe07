#include "cli/operation_feed.h"

#include <chrono>
#include <memory>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "base/backoff.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/artifacts.h"
#include "cli/object_watch.h"
#include "cli/operation_words.h"
#include "cli/server_version.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;

namespace {

constexpr Duration kPatienceWithServer = std::chrono::seconds(10);
constexpr Duration kPatienceWithLog = std::chrono::seconds(10);
constexpr BackoffPolicy kLogAgain{.first = std::chrono::seconds(4), .cap = std::chrono::seconds(60)};
constexpr int kLogTries = 6;

// The kinds that move the data of its volumes. Where one is not installed there are none.
std::vector<api::Kind> volume_kinds(const Json& operation) {
  if (noun_of(operation).kind == api::kBackup)
    return {api::kPodVolumeBackup, api::kVolumePluginBackup, api::kDataUpload};
  return {api::kPodVolumeRestore, api::kVolumePluginRestore, api::kDataDownload};
}

std::string selector_of(const Json& operation, const std::string& name) {
  const auto label = noun_of(operation).kind == api::kBackup ? api::label::kBackupName : api::label::kRestoreName;
  return std::string(label) + "=" + k8s::label_safe(name);
}

std::string version_of(const Json& object) { return std::string(k8s::ObjectView(object).resource_version()); }

// The same world, that ends with a thread of the feed.
Context with_stop(const Context& context, const std::stop_token& stop) {
  Context result = context;
  result.stop = stop;
  return result;
}

}  // namespace

OperationFeed::OperationFeed(const kube::Resource& resource, const Json& operation, const Context& context)
    : resource_(resource),
      context_(context),
      name_(k8s::ObjectView(operation).name()),
      uid_(k8s::ObjectView(operation).uid()) {
  state_.update([&](OperationState& state) {
    state.operation = std::make_shared<const Json>(operation);
    state.changed_at = context.clock.now();
  });
}

OperationFeed::~OperationFeed() {
  for (std::jthread& thread : threads_) thread.request_stop();  // all of them, before the first is waited for
}

template <class Change>
void OperationFeed::update(const Change& change) {
  state_.update([&](OperationState& state) {
    change(state);
    ++state.changes;
  });
}

void OperationFeed::start(const FeedOptions& options) {
  const kube::Object operation = now().operation;
  threads_.emplace_back([this](const std::stop_token& stop) { follow_operation(stop); });
  if (options.has_notices) threads_.emplace_back([this](const std::stop_token& stop) { look_for_server(stop); });
  if (options.has_messages) threads_.emplace_back([this](const std::stop_token& stop) { follow_log(stop); });
  if (!options.has_volumes) return;
  for (const api::Kind& kind : volume_kinds(*operation)) {
    threads_.emplace_back([this, kind](const std::stop_token& stop) { follow_volumes(kind, stop); });
  }
}

bool OperationFeed::wait_change(std::uint64_t seen, SteadyTime deadline, const std::stop_token& stop) {
  return state_.wait_until(context_.clock, stop, deadline,
                           [&](const OperationState& state) { return state.changes > seen; });
}

void OperationFeed::follow_operation(const std::stop_token& stop) {
  ObjectWatch watch(resource_, name_, uid_, system_random());
  const auto on_seen = [this](Json& object) {
    const bool goes_on = !is_over(object);
    const bool is_untouched = is_new(object);
    auto seen = std::make_shared<const Json>(std::move(object));
    update([&](OperationState& state) {
      if (version_of(*state.operation) != version_of(*seen)) state.changed_at = context_.clock.now();
      state.operation = std::move(seen);
      state.trouble.clear();
      if (!is_untouched) state.notice.clear();
    });
    return goes_on;
  };
  const auto on_trouble = [this](const Error& error) {
    update([&](OperationState& state) { state.trouble = error.message(); });
  };
  const Status ended = watch.follow(on_seen, on_trouble, stop);
  if (ended || stop.stop_requested()) return;
  update([&](OperationState& state) { state.failure = ended.error(); });
}

void OperationFeed::follow_volumes(const api::Kind& kind, const std::stop_token& stop) {
  const std::string selector = selector_of(*now().operation, name_);
  kube::Cache cache(kube::Resource(resource_.client(), kind.resource(), resource_.name_space()),
                    {.label_selector = selector}, system_random(), Logger());
  cache.on_change([this, &kind](const kube::CacheChange& change) {
    const std::string key = std::string(kind.name) + "/" + change.name.name;
    update([&](OperationState& state) {
      if (change.after) {
        state.volumes[key] = change.after;
      } else {
        state.volumes.erase(key);
      }
    });
  });
  cache.run(stop);
}

// Only while it runs does a server hand out a log that grows. What goes wrong here costs the messages, nothing else.
void OperationFeed::follow_log(const std::stop_token& stop) {
  const bool is_running = state_.wait_until(context_.clock, stop, kNever,
                                            [](const OperationState& state) { return has_begun(*state.operation); });
  if (!is_running || is_over(*now().operation)) return;
  const Context context = with_stop(context_, stop);
  const ArtifactFlags flags;
  const Artifacts artifacts(resource_.client(), resource_.name_space(), flags, context);
  const bool is_backup = noun_of(*now().operation).kind == api::kBackup;
  const auto target = is_backup ? api::DownloadTarget::kBackupLog : api::DownloadTarget::kRestoreLog;
  Backoff backoff(kLogAgain, system_random());
  while (backoff.attempts() < kLogTries) {
    LogMessages messages([this](LogMessage message) {
      update([&](OperationState& state) { keep_newest(state.messages, std::move(message)); });
    });
    const Status read = artifacts.follow(target, name_, kPatienceWithLog, messages);
    // A stream that breaks off is one whose server has gone: another will be there.
    if (read || !is_retryable(read.error().code()) || is_over(*now().operation)) return;
    if (!context_.clock.sleep_for(backoff.next(), stop)) return;
  }
}

// Nobody has begun it: is anybody there?
void OperationFeed::look_for_server(const std::stop_token& stop) {
  const auto is_seen = [](const OperationState& state) { return !is_new(*state.operation) || state.failure; };
  if (state_.wait_until(context_.clock, stop, context_.clock.after(kPatienceWithServer), is_seen)) return;
  if (stop.stop_requested()) return;
  const Context context = with_stop(context_, stop);
  const auto version = ask_server_version(resource_.client(), resource_.name_space(), context);
  if (stop.stop_requested()) return;
  const bool is_silent = !version && version.error().code() == Code::kTimeout;
  if (!version && !is_silent) return;  // not ours to ask
  const std::string word(noun_of(*now().operation).word);
  update([&](OperationState& state) {
    if (is_seen(state)) return;
    state.notice = version ? "the server in namespace " + quote(resource_.name_space()) + " (" + *version +
                                 ") has not begun this " + word + " yet: it is busy with others, or see its log"
                           : version.error().message() + "; the " + word + " begins once one is there";
  });
}

}  // namespace landfall::cli
