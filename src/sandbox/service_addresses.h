#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/random.h"
#include "json/json_fwd.h"
#include "sandbox/store.h"
#include "sandbox_kinds/validation.h"

namespace landfall::sandbox {

// Hands out cluster IPs (10.96.0.0/16) and node ports (30000–32767) to Services, and refuses those that are taken.
// Follows the store: what a Service no longer uses, or what was handed out for one that was never stored, is free
// again. Thread-safe.
class ServiceAddresses {
 public:
  ServiceAddresses(Store& store, Random& random);

  // Fills in what the service lacks and claims what it has. Causes: what is taken or out of range; then nothing is
  // claimed. With dry_run nothing is claimed either.
  Causes allocate(json::Json& service, const json::Json* old, bool dry_run);
  // The service is as it is in the store, or not there: for after a write that failed.
  void settle(const std::string& key);

 private:
  struct Held {
    std::vector<std::uint32_t> addresses;
    std::vector<int> ports;
  };
  struct State {
    std::map<std::uint32_t, std::string> addresses;  // to the key of the service
    std::map<int, std::string> ports;
    std::map<std::string, Held> by_key;
  };
  class Claim;

  static Held held_by(const json::Json& service);
  void follow(const Change& change);
  void settle_on(const std::string& key, const json::Json* service);

  Store& store_;
  Random& random_;
  Guarded<State> state_;
};

}  // namespace landfall::sandbox
