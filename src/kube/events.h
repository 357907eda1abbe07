#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::kube {

// Which object an event is about.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string name_space;  // empty for cluster-scoped objects: their events go to the namespace "default"
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;  // "spec.containers{main}": a part of it

  friend auto operator<=>(const ObjectReference&, const ObjectReference&) = default;
};

ObjectReference reference_to(const json::Json& object);

enum class EventType { kNormal, kWarning };

struct EventOptions {
  std::string component;  // who reports: "landfall-server"
  std::string host;       // the node, if it matters
  std::string instance;   // the pod's name
  std::size_t max_queued = 1000;
  std::size_t max_remembered = 4096;                 // events that can be counted up
  Duration call_timeout = std::chrono::seconds(10);  // for writing one
  Duration flush_timeout = std::chrono::seconds(5);  // for what is queued when it is stopped
};

// Tells the users of an object what happened to it, as core/v1 Events that `kubectl describe` shows.
//
// record() only queues; a thread of its own writes. When the API server is slower than we are, or away, events are
// dropped and counted: an event is a courtesy, and the work that it is about never waits for it or fails because of it.
// What happens again (the same object, type, reason and message) is counted up in the event that is there. Thread-safe.
class EventRecorder {
 public:
  // What it refers to must outlive it.
  EventRecorder(Client& client, EventOptions options, Random& random, Logger log);
  // stop().
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // The reason is one word in CamelCase, for machines; the message is for people, and cut to 1024 bytes.
  void record(const ObjectReference& about, EventType type, std::string_view reason, std::string_view message);

  // Waits until everything recorded so far is written or given up; false when the time or the stop came first.
  bool flush(SteadyTime deadline, const std::stop_token& stop);

  // Writes what is queued, for flush_timeout at most, and ends; what is recorded after that is dropped. May be called
  // twice.
  void stop();

  // Events that were lost: the queue was full, it was stopped, or the API server did not take them.
  std::uint64_t dropped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What client-go calls an event about an object: "<object>.<hexadecimal nanoseconds>"; a random name in place of the
// object's where that would be no valid name.
std::string event_name(std::string_view object, WallTime time, Random& random);

}  // namespace landfall::kube
