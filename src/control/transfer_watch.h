#pragma once

#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "base/guarded.h"
#include "control/context.h"
#include "kube/cache.h"

namespace landfall::control {

// The PodVolumeBackups or -Restores of one operation as they change, so that one can wait for them. Watches in a thread
// of its own until the end of its life. Thread-safe.
class TransferWatch {
 public:
  // `on_change` hears of every change, in the thread that watches: it must not block.
  TransferWatch(const Context& context, const api::Kind& kind, const std::string& label_selector,
                std::function<void()> on_change);
  TransferWatch(const TransferWatch&) = delete;
  TransferWatch& operator=(const TransferWatch&) = delete;
  ~TransferWatch() = default;

  // Waits until everything that was there at first is known.
  bool wait_synced(Duration patience, const std::stop_token& stop) {
    return cache_.wait_synced(context_.client.clock().after(patience), stop);
  }
  // One that has just been made is known from here on, whenever the watch tells of it.
  void made(json::Json object);
  // All that are there.
  std::set<std::string> names() const;
  // What is known of it; null when it is gone or was not seen yet.
  kube::Object get(const std::string& name) const;

  // Returns when all of these are over or gone, at the deadline, or on a stop: those that are not over.
  std::set<std::string> wait(const std::set<std::string>& names, SteadyTime deadline, const std::stop_token& stop);

  // Says what one that is not over waits for: "waits: …", or nothing.
  using Explain = std::function<std::string(const json::Json& object, const std::stop_token& stop)>;
  // The same; meanwhile what they wait for is written into their status.message, for whoever looks at them.
  std::set<std::string> wait(const std::set<std::string>& names, SteadyTime deadline, const Explain& explain,
                             const std::stop_token& stop);

  // Tells them to end; they do so in their own time. No stop counts: an operation that is stopped does just this.
  void cancel(const std::set<std::string>& names) const;

 private:
  using Objects = std::map<std::string, kube::Object>;
  struct Seen {
    Objects objects;
    std::set<std::string> gone;
  };
  static std::set<std::string> open_ones(const Seen& seen, const std::set<std::string>& names);
  void look(const std::string& name, const Explain& explain, const std::stop_token& stop);

  const Context& context_;
  const kube::Resource resource_;
  const std::function<void()> on_change_;
  kube::Cache cache_;
  Monitor<Seen> seen_;
  std::jthread thread_;  // last
};

}  // namespace landfall::control
