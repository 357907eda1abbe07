#include "kube/events.h"

#include <fmt/format.h>

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "base/guarded.h"
#include "base/rfc3339.h"
#include "base/utf8.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "kube/resource.h"

namespace landfall::kube {
namespace {

// The limits of events.k8s.io, by which the same events can be read.
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxReason = 128;

// Valid UTF-8 of at most so many bytes; what is cut shows by its end.
std::string shortened(std::string_view text, std::size_t limit) {
  constexpr std::string_view kDots = "...";
  std::string valid = to_valid_utf8(text);
  if (valid.size() <= limit) {
    return valid;
  }
  std::size_t end = limit - kDots.size();
  while (end > 0 && (static_cast<unsigned char>(valid[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return valid.substr(0, end).append(kDots);
}

// What makes two events the same one, happening again.
struct Occurrence {
  ObjectReference about;  // without its version, which changes
  EventType type{};
  std::string reason;
  std::string message;

  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

struct Recorded {
  Occurrence what;
  std::string resource_version;
  WallTime when;
};

// An event that is on the server.
struct Written {
  std::string name;
  WallTime first;
  std::int64_t count = 0;
};

// The events written last, so that they can be counted up.
class Memory {
 public:
  explicit Memory(std::size_t limit) : limit_(limit) {}

  Written* find(const Occurrence& what) {
    const auto found = places_.find(what);
    if (found == places_.end()) {
      return nullptr;
    }
    order_.splice(order_.end(), order_, found->second.place);
    return &found->second.written;
  }
  void remember(const Occurrence& what, Written written) {
    if (Written* known = find(what)) {
      *known = std::move(written);
      return;
    }
    const auto [entry, is_new] = places_.emplace(what, Entry{.written = std::move(written), .place = {}});
    entry->second.place = order_.insert(order_.end(), &entry->first);
    if (order_.size() > limit_) {
      const Occurrence* oldest = order_.front();
      order_.pop_front();
      places_.erase(places_.find(*oldest));
    }
  }

 private:
  using Order = std::list<const Occurrence*>;  // the one used last at the end; the map's keys stay where they are
  struct Entry {
    Written written;
    Order::iterator place;
  };
  const std::size_t limit_;
  Order order_;
  std::map<Occurrence, Entry> places_;
};

const char* name_of(EventType type) { return type == EventType::kWarning ? "Warning" : "Normal"; }

std::string namespace_of(const ObjectReference& about) {
  return about.name_space.empty() ? "default" : about.name_space;
}

void set_if_known(json::Json& object, const char* key, const std::string& value) {
  if (!value.empty()) {
    object[key] = value;
  }
}

json::Json reference_json(const ObjectReference& about, const std::string& resource_version) {
  json::Json reference = {{"kind", about.kind}, {"name", about.name}};
  set_if_known(reference, "apiVersion", about.api_version);
  set_if_known(reference, "namespace", about.name_space);
  set_if_known(reference, "uid", about.uid);
  set_if_known(reference, "resourceVersion", resource_version);
  set_if_known(reference, "fieldPath", about.field_path);
  return reference;
}

json::Json event_json(const EventOptions& options, const Recorded& event, const Written& written) {
  json::Json json = {{"apiVersion", "v1"},
                     {"kind", "Event"},
                     {"metadata", {{"name", written.name}, {"namespace", namespace_of(event.what.about)}}},
                     {"type", name_of(event.what.type)},
                     {"reason", event.what.reason},
                     {"message", event.what.message},
                     {"firstTimestamp", format_rfc3339(written.first)},
                     {"lastTimestamp", format_rfc3339(event.when)},
                     {"count", written.count},
                     // In core/v1 the reporting controller's field has this name.
                     {"reportingComponent", options.component},
                     {"reportingInstance", options.instance}};
  json["involvedObject"] = reference_json(event.what.about, event.resource_version);
  json["source"] = {{"component", options.component}};
  set_if_known(json["source"], "host", options.host);
  return json;
}

}  // namespace

ObjectReference reference_to(const json::Json& object) {
  return {.api_version = json::string_or(object, {"apiVersion"}, ""),
          .kind = json::string_or(object, {"kind"}, ""),
          .name_space = json::string_or(object, {"metadata", "namespace"}, ""),
          .name = json::string_or(object, {"metadata", "name"}, ""),
          .uid = json::string_or(object, {"metadata", "uid"}, ""),
          .resource_version = json::string_or(object, {"metadata", "resourceVersion"}, ""),
          .field_path = ""};
}

std::string event_name(std::string_view object, WallTime time, Random& random) {
  const std::string suffix = fmt::format(".{:x}", time.time_since_epoch().count());
  std::string name = std::string(object) + suffix;
  return k8s::dns1123_subdomain_problems(name).empty() ? name : uuid4(random) + suffix;
}

struct EventRecorder::Impl {
  struct State {
    std::deque<Recorded> queue;
    bool is_writing = false;
    bool is_stopped = false;
    bool is_done = false;  // the thread has ended
    std::uint64_t dropped = 0;
  };

  Impl(Client& client, EventOptions the_options, Random& the_random, Logger the_log)
      : options(std::move(the_options)),
        random(the_random),
        log(std::move(the_log)),
        clock(client.clock()),
        events(Resource(client, {.group = "", .version = "v1", .resource = "events"}).within(options.call_timeout)),
        memory(options.max_remembered) {}

  void work(const std::stop_token& stop);
  Status write(const Recorded& event, const std::stop_token& stop);
  Status create(const Recorded& event, const Written& written, const std::stop_token& stop);

  const EventOptions options;
  Random& random;
  const Logger log;
  Clock& clock;
  const Resource events;
  Memory memory;  // the thread's own
  Monitor<State> state;
  std::jthread thread;  // last: ends before what it uses
};

EventRecorder::EventRecorder(Client& client, EventOptions options, Random& random, Logger log)
    : impl_(std::make_unique<Impl>(client, std::move(options), random, std::move(log))) {
  impl_->thread = std::jthread([impl = impl_.get()](const std::stop_token& stop) { impl->work(stop); });
}

EventRecorder::~EventRecorder() { stop(); }

void EventRecorder::record(const ObjectReference& about, EventType type, std::string_view reason,
                           std::string_view message) {
  Recorded event{.what = {.about = about,
                          .type = type,
                          .reason = shortened(reason, kMaxReason),
                          .message = shortened(message, kMaxMessage)},
                 .resource_version = about.resource_version,
                 .when = impl_->clock.wall_now()};
  event.what.about.resource_version.clear();
  impl_->state.update([&](Impl::State& state) {
    if (state.is_stopped || state.queue.size() >= impl_->options.max_queued) {
      ++state.dropped;
    } else {
      state.queue.push_back(std::move(event));
    }
  });
}

bool EventRecorder::flush(SteadyTime deadline, const std::stop_token& stop) {
  return impl_->state.wait_until(impl_->clock, stop, deadline, [](const Impl::State& state) {
    return state.is_done || (state.queue.empty() && !state.is_writing);
  });
}

void EventRecorder::stop() {
  impl_->state.update([](Impl::State& state) { state.is_stopped = true; });
  const SteadyTime deadline = impl_->clock.after(impl_->options.flush_timeout);
  (void)impl_->state.wait_until(impl_->clock, {}, deadline, [](const Impl::State& state) { return state.is_done; });
  impl_->thread.request_stop();
  if (impl_->thread.joinable()) {
    impl_->thread.join();
  }
}

std::uint64_t EventRecorder::dropped() const {
  return impl_->state.with([](const Impl::State& state) { return state.dropped; });
}

void EventRecorder::Impl::work(const std::stop_token& stop) {
  std::optional<Recorded> event;
  const auto has_work = [](const State& now) { return !now.queue.empty() || now.is_stopped; };
  const auto take = [&](State& now) {
    event.reset();
    if (!now.queue.empty()) {
      event = std::move(now.queue.front());
      now.queue.pop_front();
      now.is_writing = true;
    }
  };
  while (!stop.stop_requested() && state.wait_then(clock, stop, kNever, has_work, take) && event) {
    const Status written = write(*event, stop);
    if (!written) {
      log.debug("an event was not recorded", {{"reason", event->what.reason}, LogField(written.error())});
    }
    state.update([&](State& now) {
      now.is_writing = false;
      now.dropped += written ? 0U : 1U;
    });
  }
  state.update([](State& now) {
    now.dropped += now.queue.size();
    now.queue.clear();
    now.is_stopped = true;
    now.is_done = true;
  });
}

Status EventRecorder::Impl::write(const Recorded& event, const std::stop_token& stop) {
  const Written* known = memory.find(event.what);
  if (known == nullptr) {
    return create(
        event, {.name = event_name(event.what.about.name, event.when, random), .first = event.when, .count = 1}, stop);
  }
  Written again = *known;
  ++again.count;
  const json::Json patch = {{"count", again.count}, {"lastTimestamp", format_rfc3339(event.when)}};
  const auto patched = events.in(namespace_of(event.what.about)).patch(again.name, PatchType::kMerge, patch, stop);
  if (!patched && patched.error().code() == Code::kNotFound) {
    return create(event, again, stop);  // the server forgets events after an hour
  }
  TRY("", patched);
  memory.remember(event.what, std::move(again));
  return {};
}

Status EventRecorder::Impl::create(const Recorded& event, const Written& written, const std::stop_token& stop) {
  const auto created = events.in(namespace_of(event.what.about)).create(event_json(options, event, written), stop);
  // The name is ours alone: it is there because an earlier try of this call got through.
  if (!created && created.error().code() != Code::kAlreadyExists) {
    return tl::unexpected(created.error());
  }
  memory.remember(event.what, written);
  return {};
}

}  // namespace landfall::kube
