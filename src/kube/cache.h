#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "json/json_fwd.h"
#include "k8s/object_ref.h"
#include "kube/resource.h"
#include "kube/watch.h"

namespace landfall::kube {

using Object = std::shared_ptr<const json::Json>;

// What changed about one object: `before` is empty when it is new, `after` when it is gone.
struct CacheChange {
  k8s::NamespacedName name;
  Object before;
  Object after;
};

// A local copy of all objects of one kind, kept up to date by a watch: an informer.
//
// run() lists, then watches from the list's version on, and goes on from the last version it saw whenever the watch
// ends or breaks; when the server has forgotten that version it lists again and works out what changed meanwhile. So
// the sequence of changes is gapless and each change is told once, whatever the connection does. Objects are immutable
// and shared. Thread-safe; handlers run on run()'s thread, one at a time, and must not block.
class Cache {
 public:
  using OnChange = std::function<void(const CacheChange&)>;

  Cache(Resource resource, ListOptions selection, Random& random, Logger log);

  // Before run().
  void on_change(OnChange handler);

  // Keeps the copy up to date until the stop. Blocks; belongs on a thread of its own.
  void run(const std::stop_token& stop);

  // Waits until the first list is in.
  bool wait_synced(SteadyTime deadline, const std::stop_token& stop);
  bool is_synced() const;

  Object get(const k8s::NamespacedName& name) const;
  std::vector<Object> list() const;
  std::size_t size() const;

 private:
  using Objects = std::map<k8s::NamespacedName, Object>;
  struct State {
    Objects objects;
    bool is_synced = false;
  };
  Status list_all(const std::stop_token& stop);
  Status watch_on(const std::stop_token& stop);
  void replace(std::vector<json::Json> items);
  void apply(WatchEventType type, json::Json& object);
  void tell(const CacheChange& change) const;

  Resource resource_;
  ListOptions selection_;
  Random& random_;
  Logger log_;
  Clock& clock_;
  std::vector<OnChange> handlers_;
  std::string version_;  // run()'s thread only
  Monitor<State> state_;
};

}  // namespace landfall::kube
