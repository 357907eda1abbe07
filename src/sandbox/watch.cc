#include "sandbox/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/api_error.h"
#include "sandbox/output.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kBatch = 100;
constexpr Duration kBookmarkInterval = std::chrono::seconds(60);
constexpr Duration kTick = std::chrono::seconds(1);
constexpr std::int64_t kLeastTimeout = 1800;  // without a timeoutSeconds; up to twice that

}  // namespace

WatchStream::WatchStream(WatchHub& hub, Parts parts, std::shared_ptr<http::Responder> responder)
    : hub_(hub), parts_(std::move(parts)), responder_(std::move(responder)) {
  sent_revision_ = parts_.position;
}

void WatchStream::start() {
  const std::weak_ptr<WatchStream> weak = weak_from_this();
  const auto wake_it = [weak] {
    if (const auto self = weak.lock()) self->wake();
  };
  responder_->on_drained(wake_it);
  responder_->on_close([weak] {
    if (const auto self = weak.lock()) self->end();
  });
  responder_->begin(
      {.headers = {{"Content-Type", content_type(parts_.output)}, {"Cache-Control", "no-cache, private"}}});
  subscription_ = hub_.store_.subscribe(parts_.kind->storage, wake_it);
  wake();
}

void WatchStream::wake() {
  // The first one to come runs it, the others leave a mark.
  if (runs_.fetch_add(1) == 0) {
    hub_.pool_.resume([self = shared_from_this()](const std::stop_token&) { self->run(); });
  }
}

void WatchStream::run() {
  int seen = runs_.load();
  while (true) {
    Step step = Step::kMore;
    while (step == Step::kMore && !is_over_) {
      step = send_pending();
      if (step != Step::kMore) break;
      step = parts_.initial ? next_initial() : next_changes();
    }
    if (step == Step::kOver) end();
    // Whoever came meanwhile has only left a mark: look once more.
    if (runs_.compare_exchange_strong(seen, 0)) return;
  }
}

WatchStream::Step WatchStream::send_pending() {
  while (pending_next_ < pending_.size()) {
    switch (responder_->write(pending_[pending_next_])) {
      case http::WriteResult::kTaken:
        ++pending_next_;
        break;
      case http::WriteResult::kFull:
        return Step::kWait;
      case http::WriteResult::kClosed:
        return Step::kOver;
    }
  }
  pending_.clear();
  pending_next_ = 0;
  return ends_after_pending_ ? Step::kOver : Step::kMore;
}

WatchStream::Step WatchStream::next_initial() {
  const std::vector<ObjectPtr>& objects = parts_.initial->objects;
  const std::size_t end = std::min(objects.size(), initial_next_ + kBatch);
  for (; initial_next_ < end; ++initial_next_) {
    const StoredObject& object = *objects[initial_next_];
    if (!parts_.selection.is_everything() && !parts_.selection.matches(object)) continue;
    queue("ADDED", event_object(*parts_.kind, object, parts_.output, !std::exchange(columns_sent_, true),
                                hub_.clock_.wall_now()));
  }
  if (initial_next_ == objects.size()) {
    if (parts_.initial_bookmark) queue_bookmark(parts_.initial->revision, true);
    parts_.initial.reset();
  }
  return Step::kMore;
}

WatchStream::Step WatchStream::next_changes() {
  if (parts_.error) {
    queue_error(*parts_.error);
    return Step::kMore;
  }
  const auto changes = hub_.store_.changes_after(parts_.kind->storage, parts_.position, kBatch);
  if (!changes) {
    queue_error(expired(fmt::format("too old resource version: {} ({})", parts_.position, hub_.store_.revision())));
    return Step::kMore;
  }
  for (const Change& change : changes->changes) {
    parts_.position = change.object->revision;
    queue_change(change);
  }
  if (!changes->changes.empty()) return Step::kMore;
  if (changes->is_closed || time_is_up_) {
    if (parts_.bookmarks && changes->reached > sent_revision_) queue_bookmark(changes->reached, false);
    ends_after_pending_ = true;
    return Step::kMore;
  }
  if (bookmark_due_.exchange(false)) {
    parts_.position = std::max(parts_.position, changes->reached);
    queue_bookmark(parts_.position, false);
    return Step::kMore;
  }
  return Step::kWait;
}

void WatchStream::queue_change(const Change& change) {
  const StoredObject& object = *change.object;
  if (!parts_.name_space.empty() && object.name_space() != parts_.name_space) return;
  const bool all = parts_.selection.is_everything();
  const bool is_in = change.type != ChangeType::kDeleted && (all || parts_.selection.matches(object));
  const bool was_in = change.previous && (all || parts_.selection.matches(*change.previous));
  if (!is_in && !was_in) return;
  const auto text = [&](const StoredObject& which) {
    return event_object(*parts_.kind, which, parts_.output, !std::exchange(columns_sent_, true),
                        hub_.clock_.wall_now());
  };
  sent_revision_ = object.revision;
  if (is_in) {
    queue(was_in ? "MODIFIED" : "ADDED", text(object));
  } else if (change.type == ChangeType::kDeleted) {
    queue("DELETED", text(object));
  } else {
    // It left the selection: its last state inside, under the revision of the change.
    queue("DELETED", text(*with_revision(*change.previous, object.revision)));
  }
}

void WatchStream::queue(std::string_view type, std::string object) {
  std::string line = "{\"type\":\"";
  line.reserve(object.size() + 40);
  line.append(type).append("\",\"object\":").append(object).append("}\n");
  pending_.emplace_back(std::move(line));
}

void WatchStream::queue_bookmark(std::uint64_t revision, bool ends_initial) {
  sent_revision_ = revision;
  Json object = {{"kind", parts_.kind->kind},
                 {"apiVersion", to_string(parts_.kind->id.group_version())},
                 {"metadata", {{"resourceVersion", std::to_string(revision)}}}};
  if (ends_initial) object["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  if (parts_.output.shape == OutputFormat::Shape::kTable) {
    object = {{"kind", "Table"},
              {"apiVersion", "meta.k8s.io/v1"},
              {"metadata", {{"resourceVersion", std::to_string(revision)}}},
              {"columnDefinitions", Json::array()},
              {"rows", Json::array()}};
  }
  queue("BOOKMARK", json::dump(object));
}

void WatchStream::queue_error(const Error& error) {
  queue("ERROR", json::dump(status_document(error)));
  ends_after_pending_ = true;
}

bool WatchStream::tick(SteadyTime now) {
  if (is_over_) return true;
  if (now >= parts_.deadline) {
    time_is_up_ = true;
    wake();
    return false;
  }
  if (parts_.bookmarks && now >= next_bookmark_) {
    bookmark_due_ = true;
    wake();
  }
  if (next_bookmark_ == kNever || now >= next_bookmark_) next_bookmark_ = now + kBookmarkInterval;
  return false;
}

void WatchStream::drop() {
  responder_->abort(Error(Code::kUnavailable, "a watch was dropped by an injected fault"));
  end();
}

void WatchStream::end() {
  if (is_over_.exchange(true)) return;
  responder_->finish();
  hub_.forget(this);
}

WatchHub::WatchHub(Store& store, Faults& faults, http::WorkerPool& pool, Clock& clock, Random& random)
    : store_(store),
      faults_(faults),
      pool_(pool),
      clock_(clock),
      random_(random),
      thread_([this](const std::stop_token& stop) { tend(stop); }) {}

WatchHub::~WatchHub() { stop(); }

void WatchHub::open(const ApiRequest& request, std::shared_ptr<http::Responder> responder) {
  const std::string& revision = request.list.resource_version;
  if (!revision.empty() && !parse_uint64(revision)) {
    const Error refusal = server_error("resourceVersion: Invalid value: " + quote(revision) +
                                       ": strconv.ParseUint: parsing " + quote(revision) + ": invalid syntax");
    responder->send({.status = http_status_of(refusal),
                     .headers = {{"Content-Type", "application/json"}},
                     .body = json::dump(status_document(refusal))});
    return;
  }
  auto stream = std::make_shared<WatchStream>(*this, parts_of(request), std::move(responder));
  const bool admitted = state_.update([&](State& state) {
    if (!state.stopped) state.streams.push_back(stream);
    return !state.stopped;
  });
  if (admitted) stream->start();
}

WatchStream::Parts WatchHub::parts_of(const ApiRequest& request) {
  const ListOptions& list = request.list;
  WatchStream::Parts parts{.kind = request.kind,
                           .name_space = request.name_space,
                           .selection = Selection(list.labels, list.fields),
                           .output = request.output,
                           .bookmarks = list.allow_bookmarks};
  const std::int64_t seconds =
      list.timeout_seconds && *list.timeout_seconds > 0
          ? *list.timeout_seconds
          : kLeastTimeout + static_cast<std::int64_t>(random_.uniform(static_cast<std::uint64_t>(kLeastTimeout)));
  parts.deadline = clock_.after(std::chrono::seconds(std::min<std::int64_t>(seconds, 24L * 3600)));
  // Checked by open().
  const std::uint64_t revision = parse_uint64(list.resource_version).value_or(0);
  const bool wants_initial = list.send_initial_events.value_or(revision == 0);
  if (wants_initial) {
    parts.initial = std::make_shared<const Snapshot>(store_.list(request.kind->storage, request.name_space));
    parts.position = parts.initial->revision;
    parts.initial_bookmark = list.send_initial_events.value_or(false) && list.allow_bookmarks;
  } else {
    parts.position = revision == 0 ? store_.revision() : revision;
  }
  return parts;
}

void WatchHub::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const auto streams = state_.update([](State& state) {
    state.stopped = true;
    return std::exchange(state.streams, {});
  });
  for (const auto& stream : streams) stream->tick(kNever);
}

std::size_t WatchHub::size() const {
  return state_.with([](const State& state) { return state.streams.size(); });
}

void WatchHub::tend(const std::stop_token& stop) {
  while (clock_.sleep_for(kTick, stop)) {
    const auto streams = state_.with([](const State& state) { return state.streams; });
    const SteadyTime now = clock_.now();
    for (const auto& stream : streams) {
      if (faults_.drops_watch()) {
        stream->drop();
      } else {
        stream->tick(now);
      }
    }
  }
}

void WatchHub::forget(const WatchStream* stream) {
  state_.update(
      [&](State& state) { std::erase_if(state.streams, [&](const auto& one) { return one.get() == stream; }); });
}

}  // namespace landfall::sandbox
