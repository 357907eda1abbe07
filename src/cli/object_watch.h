#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/resource.h"

namespace landfall::cli {

// Follows one object by a watch: every change that the server tells of is handed over at once, without asking again and
// again. Blocks the thread that it is called on; the resource and the random numbers are borrowed.
class ObjectWatch {
 public:
  // Hears the object as it is now, first, after each change, and after trouble; false ends it.
  using OnSeen = std::function<bool(json::Json& object)>;
  // Hears why the cluster cannot be read; it is tried again, with growing pauses.
  using OnTrouble = std::function<void(const Error& error)>;

  // The object of this name; only the one with this UID.
  ObjectWatch(const kube::Resource& resource, std::string name, std::string uid, Random& random);

  // Until on_seen has had enough (success), the object is deleted or another has taken its name (kNotFound; on_seen
  // hears a deleted one a last time), or a stop is asked for (kCancelled). Connections that break or end and versions
  // that the server has forgotten are bridged. Errors that trying again does not mend are returned.
  Status follow(const OnSeen& on_seen, const OnTrouble& on_trouble, const std::stop_token& stop);

 private:
  enum class Found { kMore, kEnough, kGone };
  Result<Found> list(const OnSeen& on_seen, const std::stop_token& stop);
  Result<Found> watch(const OnSeen& on_seen, const std::stop_token& stop);

  const kube::Resource& resource_;
  const std::string name_;
  const std::string uid_;
  Random& random_;
  std::string version_;  // to go on from; empty before a list
};

}  // namespace landfall::cli
