#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/guarded.h"
#include "base/manual_clock.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/leader_election.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

// A server with one lease.
class LeaseApi {
 public:
  explicit LeaseApi(ManualClock& clock)
      : clock_(clock), server_(ScriptedServer::answering([this](const ScriptedRequest& r) { return answer(r); })) {}
  std::string url() const { return server_.url(); }

  std::string holder() const {
    return state_.with([](const State& s) { return s.spec.value("holderIdentity", ""); });
  }
  json::Json spec() const {
    return state_.with([](const State& s) { return s.spec; });
  }
  void hold_as(const std::string& identity) {
    state_.with([&](State& s) {
      s.exists = true;
      ++s.version;
      // Timestamps that are wrong by decades, as of a machine whose clock is.
      s.spec = {{"holderIdentity", identity},
                {"leaseDurationSeconds", 15},
                {"renewTime", "1999-01-01T00:00:00." + std::to_string(100000 + s.version) + "Z"}};
    });
  }
  void be_down(bool down) { down_ = down; }
  int reads() const { return reads_; }
  // Somebody else has touched it, and it is still ours.
  void touch() {
    state_.with([](State& s) { ++s.version; });
  }
  SteadyTime renewed_at() const {
    return state_.with([](const State& s) { return s.renewed_at; });
  }

 private:
  struct State {
    bool exists = false;
    int version = 1;
    json::Json spec = json::Json::object();
    SteadyTime renewed_at;
  };
  std::string answer(const ScriptedRequest& request) {
    if (down_) {
      return reply(503, "down");
    }
    if (request.method == "GET") ++reads_;
    return state_.with([&](State& s) {
      if (request.method == "GET") {
        return s.exists ? reply(200, object(s)) : reply(404, "none");
      }
      const json::Json sent = json::parse(request.body).value();
      const bool is_stale = request.method == "PUT" && sent["metadata"]["resourceVersion"] != std::to_string(s.version);
      if (is_stale || (request.method == "POST" && s.exists)) {
        return reply(409, R"({"kind":"Status","reason":"Conflict","code":409})");
      }
      s.exists = true;
      ++s.version;
      s.spec = sent["spec"];
      s.renewed_at = clock_.now();
      return reply(200, object(s));
    });
  }
  static std::string object(const State& s) {
    return json::dump({{"kind", "Lease"},
                       {"metadata", {{"name", "lock"}, {"resourceVersion", std::to_string(s.version)}}},
                       {"spec", s.spec}});
  }
  ManualClock& clock_;
  Guarded<State> state_;
  std::atomic<bool> down_ = false;
  std::atomic<int> reads_ = 0;
  ScriptedServer server_;
};

// One replica: its work notes when it starts and when it is told to stop.
struct Replica {
  Replica(LeaseApi& api, ManualClock& the_clock, const std::string& identity, bool heeds_stop = true)
      : clock(the_clock),
        client(api.url(), without_retries(), clock),
        election(*client,
                 {.name_space = "velero",
                  .name = "lock",
                  .identity = identity,
                  .on_overrun = [this] { overrun_at = clock.now(); }},
                 client.random, Logger()),
        thread([this, heeds_stop](const std::stop_token& stop) {
          outcome = election.run(
              [&](const std::stop_token& work_stop) -> Status {
                ++started;
                const std::stop_callback note(work_stop, [this] { stopped_at = clock.now(); });
                system_clock().sleep_for(std::chrono::hours(1000), heeds_stop ? work_stop : finish.get_token());
                return {};
              },
              stop);
        }) {}
  static ClientOptions without_retries() {
    ClientOptions options;
    options.max_retries = 0;
    return options;
  }
  // Lets time pass step by step, each when the election waits.
  void step() const {
    clock.await_waiters(1);
    clock.advance(milliseconds(500));
  }
  void pass(Duration time) const {
    for (Duration passed{}; passed < time; passed += milliseconds(500)) {
      step();
    }
    clock.await_waiters(1);
  }
  ManualClock& clock;
  std::atomic<int> started = 0;
  std::atomic<SteadyTime> stopped_at = SteadyTime::min();
  std::atomic<SteadyTime> overrun_at = SteadyTime::min();
  std::stop_source finish;
  std::optional<Status> outcome;
  TestClient client;
  LeaderElection election;
  std::jthread thread;
};

TEST(LeaderElectionThreads, TakesAFreeLeaseKeepsItAndGivesItBack) {
  ManualClock clock;
  LeaseApi api(clock);
  Replica replica(api, clock, "pod-1");
  replica.pass(seconds(60));
  EXPECT_EQ(replica.started, 1);
  EXPECT_EQ(api.holder(), "pod-1");
  EXPECT_LE(clock.now() - api.renewed_at(), seconds(3));
  replica.thread = {};
  EXPECT_EQ(api.holder(), "");
  ASSERT_TRUE(replica.outcome);
  EXPECT_TRUE(*replica.outcome);
}

TEST(LeaderElectionThreads, RenewsWithOneCallAndReadsAgainWhenSomebodyWroteIt) {
  ManualClock clock;
  LeaseApi api(clock);
  Replica replica(api, clock, "pod-1");
  replica.pass(seconds(30));
  EXPECT_EQ(api.reads(), 1);
  EXPECT_LE(clock.now() - api.renewed_at(), seconds(3));
  api.touch();
  replica.pass(seconds(10));
  EXPECT_EQ(api.reads(), 2);
  EXPECT_EQ(replica.started, 1);
  EXPECT_LE(clock.now() - api.renewed_at(), seconds(3));
}

TEST(LeaderElectionThreads, WaitsForAnothersLeaseByItsOwnClock) {
  ManualClock clock;
  LeaseApi api(clock);
  api.hold_as("pod-2");
  Replica replica(api, clock, "pod-1");
  replica.pass(seconds(14));
  EXPECT_EQ(replica.started, 0) << "the timestamps say it expired long ago, but it was seen 14 seconds ago";
  api.hold_as("pod-2");
  replica.pass(seconds(10));
  EXPECT_EQ(replica.started, 0) << "it was renewed";
  while (replica.started == 0) {
    replica.step();
  }
  EXPECT_EQ(api.holder(), "pod-1");
  EXPECT_EQ(api.spec()["leaseTransitions"], 1);
}

TEST(LeaderElectionThreads, TakesItsOwnLeaseBackAtOnce) {
  ManualClock clock;
  LeaseApi api(clock);
  api.hold_as("pod-1");
  Replica replica(api, clock, "pod-1");
  const SteadyTime began = clock.now();
  while (replica.started == 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(clock.now(), began);
}

TEST(LeaderElectionThreads, StopsTheWorkBeforeTheLeaseCanExpire) {
  ManualClock clock;
  LeaseApi api(clock);
  Replica replica(api, clock, "pod-1");
  replica.pass(seconds(4));
  api.be_down(true);
  const SteadyTime renewed = api.renewed_at();
  while (replica.stopped_at.load() == SteadyTime::min()) {
    replica.step();
  }
  EXPECT_LT(replica.stopped_at.load() - renewed, seconds(15));
  EXPECT_GE(replica.stopped_at.load() - renewed, seconds(9)) << "a short outage is no reason to stop";
  EXPECT_EQ(replica.overrun_at.load(), SteadyTime::min());
  api.be_down(false);
  while (replica.started < 2) {
    replica.step();
  }
  EXPECT_EQ(api.holder(), "pod-1") << "and begins again when the server is back";
}

TEST(LeaderElectionThreads, TheCalendarMayJump) {
  ManualClock clock;
  LeaseApi api(clock);
  Replica replica(api, clock, "pod-1");
  replica.pass(seconds(2));
  clock.jump_wall(std::chrono::hours(24 * 365));
  replica.pass(seconds(20));
  clock.jump_wall(-std::chrono::hours(48 * 365));
  replica.pass(seconds(20));
  EXPECT_EQ(replica.started, 1);
  EXPECT_EQ(replica.stopped_at.load(), SteadyTime::min());
  EXPECT_EQ(api.holder(), "pod-1");
}

TEST(LeaderElectionThreads, StepsDownWhenAnotherHasIt) {
  ManualClock clock;
  LeaseApi api(clock);
  Replica replica(api, clock, "pod-1");
  replica.pass(seconds(2));
  api.hold_as("pod-2");
  while (replica.stopped_at.load() == SteadyTime::min()) {
    replica.step();
  }
  EXPECT_EQ(api.holder(), "pod-2");
}

TEST(LeaderElectionThreads, SaysWhenTheWorkOverrunsTheLease) {
  ManualClock clock;
  LeaseApi api(clock);
  Replica replica(api, clock, "pod-1", /*heeds_stop=*/false);
  replica.pass(seconds(2));
  api.be_down(true);
  const SteadyTime renewed = api.renewed_at();
  while (replica.overrun_at.load() == SteadyTime::min()) {
    replica.step();
  }
  EXPECT_LE(replica.overrun_at.load() - renewed, seconds(16));
  replica.finish.request_stop();
}

}  // namespace
}  // namespace landfall::kube
