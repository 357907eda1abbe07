#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "kube/resource.h"

namespace landfall::kube {

struct LeaderOptions {
  std::string name_space;
  std::string name;
  std::string identity;                                // unique per replica, the same after its restart: the pod's name
  Duration lease_duration = std::chrono::seconds(15);  // how long others wait after the last renewal
  Duration renew_deadline = std::chrono::seconds(10);  // without a renewal for so long the leader steps down
  Duration retry_period = std::chrono::seconds(2);
  bool release_on_stop = true;  // so that the next one need not wait
  // The work was told to stop and has not returned when the lease may be another's: two may be working at once from
  // here on. A server ends its process in it.
  std::function<void()> on_overrun;
};

// Lets one of several replicas work, by a Lease (coordination.k8s.io/v1) as Kubernetes' own components do.
//
// The work runs on a thread of its own with a stop of its own, which is requested when the lease could not be renewed
// for renew_deadline: that is before lease_duration, when another may take over. Times are measured by our own steady
// clock from the moment we saw the lease change, never by the timestamps in it: other machines' clocks may be wrong.
class LeaderElection {
 public:
  LeaderElection(Client& client, LeaderOptions options, Random& random, Logger log);

  // Waits for the lease, runs `work` until it returns or the lease is lost, and starts over in the second case. Returns
  // when the work returned by itself or the stop was asked for. A lease that already bears our identity, from before a
  // restart, is taken back at once.
  Status run(const std::function<Status(const std::stop_token&)>& work, const std::stop_token& stop);

 private:
  // The lease as we last saw it, and since when it has been so.
  struct Observed {
    std::string record;
    std::string holder;
    SteadyTime since;
    Duration duration{};
  };
  // One try to get or keep it: all its calls end by the deadline. False: somebody else holds it.
  Result<bool> try_hold(SteadyTime deadline, const std::stop_token& stop);
  // The same for one that is ours, as far as we know.
  Result<bool> renew(SteadyTime deadline, const std::stop_token& stop);
  Result<bool> create(SteadyTime deadline, const std::stop_token& stop);
  Result<Resource> until(SteadyTime deadline) const;
  Status work_under_lease(const std::function<Status(const std::stop_token&)>& work, Status& kept,
                          const std::stop_token& stop);
  Status keep(const std::stop_token& stop);
  void release();
  bool wait_for_lease(const std::stop_token& stop);
  Duration jittered(Duration period);

  Resource leases_;
  LeaderOptions options_;
  Clock& clock_;
  Random& random_;
  Logger log_;
  std::optional<Observed> observed_;
  std::unique_ptr<json::Json> written_;  // the lease as the server has it since our last call, where that is known
  SteadyTime renewed_at_;                // when the request that renewed it was begun
};

}  // namespace landfall::kube
