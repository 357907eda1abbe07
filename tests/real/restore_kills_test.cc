// The server is killed without warning (kill -9) at chosen points of a restore and started again, or another one takes
// over: each time the restore ends as one that was left alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <variant>

#include "api/definitions.h"
#include "io/log_sink.h"
#include "json/patch.h"
#include "real/folder_watch.h"
#include "real/real_client.h"
#include "real/restore_installation.h"
#include "restore_suite/velero_comparison.h"

namespace landfall {
namespace {

using api::RestorePhase;
using bucket::RestoreArtifact;
using json::Json;
using testing::IsEmpty;

constexpr std::uint64_t kSeed = 20'261'116;
constexpr std::int64_t kItems = 2000;  // at least
constexpr int kPoints = 50;
constexpr int kPointsAlways = 8;
const std::string kLeave = "none";
const std::string kUpdate = "update";

// When to kill. Parts are of the time that an undisturbed restore takes from InProgress to its end.
struct AtCreation {};
struct Seen {  // in the Restore, and this much later
  std::function<bool(const Json& restore)> wanted;
  double then = 0;
};
struct Appears {                            // among the files of the Restore, for the so manieth time
  std::optional<RestoreArtifact> artifact;  // none: a record of the journal
  int times = 1;
};
struct After {  // this server has begun with it
  double part = 0;
};
using Moment = std::variant<AtCreation, Seen, Appears, After>;

struct Point {
  std::string name;
  bool is_always = false;  // without LANDFALL_LONG too
  std::vector<Moment> moments;
  std::string policy;
};

bool is_in(RestorePhase phase, const Json& restore) { return api::phase_of<RestorePhase>(restore) == phase; }

std::int64_t progress_of(const Json& restore, const char* field) {
  return json::int_or(restore, {"status", "progress", field}, 0);
}

Moment phase(RestorePhase phase, double then = 0) {
  return Seen{[phase](const Json& restore) { return is_in(phase, restore); }, then};
}
Moment total() {
  return Seen{[](const Json& restore) { return progress_of(restore, "totalItems") > 0; }};
}
Moment restored(std::int64_t items, double then = 0) {
  return Seen{[items](const Json& restore) { return progress_of(restore, "itemsRestored") >= items; }, then};
}

std::string percent(double part) { return std::to_string(static_cast<int>(part * 100)) + " % of the time"; }

// What is stored in which order: the plan, records of the journal, the log, the results, the resource list, the
// operations, the volumes.
void add_known_points(std::vector<Point>& points) {
  using enum RestorePhase;
  using enum RestoreArtifact;
  constexpr bool kAlways = true;
  const std::vector<Point> known = {
      {"created", false, {AtCreation()}},
      {"InProgress", false, {phase(kInProgress)}},
      {"total known, and again", kAlways, {total(), After{0.2}}},
      {"first items restored", false, {restored(1)}},
      {"Finalizing", kAlways, {phase(kFinalizing)}},
      {"Finalizing, updates", false, {phase(kFinalizing)}},
      {"first record", kAlways, {Appears{std::nullopt}}},
      {"second record, and the next", false, {Appears{std::nullopt, 2}, Appears{std::nullopt}}},
      {"plan stored", kAlways, {Appears{kPlan}}},
      {"plan stored, updates", false, {Appears{kPlan}}},
      {"log stored", false, {Appears{kLog}}},
      {"log stored, updates", kAlways, {Appears{kLog}}},
      {"results stored, twice", false, {Appears{kResults}, Appears{kResults}}},
      {"resource list stored", false, {Appears{kResourceList}}},
      {"operations stored", false, {Appears{kItemOperations}}},
      {"volumes stored", false, {Appears{kVolumeInfos}}},
  };
  points.insert(points.end(), known.begin(), known.end());
}

// 50, of which 8 are always tried. Both policies in turn.
std::vector<Point> points() {
  SeededRandom random(kSeed);
  std::vector<Point> points;
  add_known_points(points);
  for (int i = 0; i < 12; ++i) {
    const auto items = static_cast<std::int64_t>(random.uniform(kItems));
    const double then = random.unit() / 4;
    points.push_back({std::to_string(items) + " restored and " + percent(then), false, {restored(items, then)}});
  }
  constexpr int kByTime = 22;
  for (int i = 0; i < kByTime; ++i) {
    const double part = (i + random.unit()) / kByTime;
    Point point{percent(part), i % 7 == 3, {After{part}}, ""};
    for (std::uint64_t again = i % 3 == 0 ? 1 + random.uniform(2) : 0; again > 0; --again) {
      const double next = random.unit() * (1 - part);
      point.name += ", again after " + percent(next);
      point.moments.push_back(After{next});
    }
    points.push_back(std::move(point));
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].policy = i % 2 == 0 ? kLeave : kUpdate;
  return points;
}

// What must not depend on how a restore got there.
struct Ending {
  std::map<std::string, Json> objects;
  Json status;
  Json results;
  Json resource_list;
};

Json document(const RestoreInstallation& in, RestoreArtifact artifact) {
  auto found = stories::must(in.bucket().read(kRestoreName, artifact, {}));
  if (!found) throw std::runtime_error("a file of the restore is missing");
  return in.load().like_any(*found);
}

Ending ending_of(const RestoreInstallation& in, const Json& restore) {
  Json status = in.load().like_any(restore.at("status"));
  for (const char* const time : {"startTimestamp", "completionTimestamp"}) status.erase(time);
  for (const std::string_view field : {"itemsPerMinute", "estimatedCompletionTimestamp"}) {
    json::erase_at(status, {"progress", field});
  }
  return {.objects = in.load().left(in.client()),
          .status = std::move(status),
          .results = document(in, RestoreArtifact::kResults),
          .resource_list = document(in, RestoreArtifact::kResourceList)};
}

void expect_same(const Ending& expected, const Ending& actual) {
  EXPECT_THAT(restore_suite::differences(expected.objects, actual.objects), IsEmpty());
  EXPECT_EQ(expected.status, actual.status);
  EXPECT_THAT(json::differences(expected.results, actual.results, 20), IsEmpty());
  EXPECT_THAT(json::differences(expected.resource_list, actual.resource_list, 20), IsEmpty());
}

// Its records are gone, and nothing else is there but files of restores. What died with a server may have left
// temporary files.
void expect_known_files(const RestoreInstallation& in) {
  const auto is_forgotten = [&] {
    if (!std::filesystem::exists(in.journal())) return true;
    return std::ranges::all_of(std::filesystem::directory_iterator(in.journal()), [](const auto& entry) {
      return io::is_temporary_name(entry.path().filename().string());
    });
  };
  EXPECT_TRUE(stories::soon(is_forgotten));
  const auto folder = stories::must(in.bucket().layout().restore(kRestoreName));
  std::set<std::string> known;
  for (const auto artifact :
       {RestoreArtifact::kLog, RestoreArtifact::kResults, RestoreArtifact::kResourceList,
        RestoreArtifact::kItemOperations, RestoreArtifact::kVolumeInfos, RestoreArtifact::kPlan}) {
    known.insert(folder.file(artifact));
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(in.folder())) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(entry.is_directory() || known.contains(name) || io::is_temporary_name(name)) << entry.path();
  }
}

class Killer {
 public:
  Killer(RestoreInstallation& in, Duration duration)
      : in_(in), duration_(duration), files_(in.folder()), records_(in.journal()) {}

  // Kills the server at the moment, at the latest when the restore has ended, and returns the Restore as it is then.
  Json kill_at(const Moment& moment, const Json& seen) {
    std::visit([&](const auto& when) { wait(when, seen); }, moment);
    in_.kill();
    return in_.restore();
  }

 private:
  void wait(const AtCreation&, const Json&) {}
  void wait(const Seen& when, const Json& seen) {
    in_.await(seen, when.wanted);
    pause(when.then);
  }
  void wait(const After& when, const Json& seen) {
    const auto tries = [](const Json& restore) {
      return json::string_or(restore, {"metadata", "annotations", "landfall.dev/tries"}, "");
    };
    in_.await(seen, [&](const Json& now) {
      return is_in(RestorePhase::kInProgress, now) &&
             (!is_in(RestorePhase::kInProgress, seen) || tries(now) != tries(seen));
    });
    pause(when.part);
  }
  void wait(const Appears& when, const Json&) {
    const auto folder = in_.bucket().layout().restore(kRestoreName).value();
    const auto is_wanted = [&](const std::string& name) {
      return when.artifact ? name == folder.file(*when.artifact) : !io::is_temporary_name(name);
    };
    const SteadyTime deadline = system_clock().after(stories::kPatience);
    (when.artifact ? files_ : records_).wait(is_wanted, when.times, [&] {
      return has_restore_ended(in_.restore()) || system_clock().now() > deadline;
    });
  }
  void pause(double part) const {
    system_clock().sleep_for(std::chrono::duration_cast<Duration>(duration_ * part), {});
  }

  RestoreInstallation& in_;
  const Duration duration_;
  FolderWatch files_;
  FolderWatch records_;
};

class RestoreKills : public testing::Test {
 protected:
  void SetUp() override {
    const kube::Resource definitions(*client_, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
    for (const Json& definition : api::custom_resource_definitions()) {
      stories::must(definitions.patch(std::string(k8s::ObjectView(definition).name()), kube::PatchType::kApply,
                                      definition, {}, {.field_manager = "landfall-tests", .force = true}));
    }
    for (const api::Kind& kind : api::kAllKinds) {
      ASSERT_TRUE(stories::soon([&] { return kube::Resource(*client_, kind.resource()).list({}, {}).has_value(); }));
    }
  }

  struct Undisturbed {
    Ending ending;
    Duration duration{};
  };
  Undisturbed undisturbed(const std::string& policy) {
    SCOPED_TRACE("undisturbed, policy " + policy);
    RestoreInstallation in(*client_);
    in.start();
    const Json begun =
        in.await(in.create_restore(policy), [](const Json& now) { return is_in(RestorePhase::kInProgress, now); });
    const SteadyTime start = system_clock().now();
    const Json ended = in.await_end(begun);
    Undisturbed result{.duration = system_clock().now() - start};
    EXPECT_TRUE(is_in(RestorePhase::kCompleted, ended)) << ended.dump(1) << in.last_words();
    result.ending = ending_of(in, ended);
    expect_load(result.ending, policy);
    expect_known_files(in);
    say("undisturbed, policy " + policy + ": " + std::to_string(result.duration.count() / 1'000'000) + " ms, " +
        result.ending.status.dump());
    in.sweep();
    return result;
  }

  // False when the restore had ended before the server was killed at all.
  bool try_point(const Point& point, const Undisturbed& expected, double haste) {
    RestoreInstallation in(*client_);
    return guarded(in, [&] {
      in.start();
      Json now = in.create_restore(point.policy);
      Killer killer(in, std::chrono::duration_cast<Duration>(expected.duration * haste));
      int hits = 0;
      for (const Moment& moment : point.moments) {
        now = killer.kill_at(moment, now);
        say(point.name + ": killed at " + now.value("status", Json()).dump());
        in.start();
        if (has_restore_ended(now)) break;
        ++hits;
      }
      // A server that was killed over the very end has left what the Restore takes with it.
      expect_end(in, now, expected.ending, !has_restore_ended(now));
      return hits > 0;
    });
  }

  void expect_end(RestoreInstallation& in, const Json& seen, const Ending& expected, bool are_files_known = true) {
    const std::string started = api::status_text(seen, api::field::kStartTimestamp);
    const Json ended = in.await_end(seen);
    if (!started.empty()) {
      EXPECT_EQ(api::status_text(ended, api::field::kStartTimestamp), started);
    }
    expect_same(expected, ending_of(in, ended));
    if (are_files_known) expect_known_files(in);
  }

  // Says what the servers said when something goes wrong.
  bool guarded(RestoreInstallation& in, const std::function<bool()>& work) {
    const int before = failures();
    bool outcome = true;
    try {
      outcome = work();
      in.sweep();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(failures(), before) << in.last_words();
    return outcome;
  }

  void say(const std::string& text) const { log_.info(text); }
  kube::Client& client() const { return *client_; }

 private:
  // The load does what it is for.
  static void expect_load(const Ending& ending, const std::string& policy) {
    const auto outcome = [&](std::string_view name) {
      return json::int_or(ending.status, {"progress", "outcomes", name}, 0);
    };
    EXPECT_GE(json::int_or(ending.status, {"progress", "itemsRestored"}, 0), kItems);
    EXPECT_GT(outcome("created"), kItems / 2);
    EXPECT_GT(outcome("unchanged"), 10);
    EXPECT_GT(outcome("skipped"), 0);
    EXPECT_GT(json::int_or(ending.status, {"warnings"}, 0), policy == kLeave ? 40 : 0);
    EXPECT_GT(outcome("updated"), policy == kUpdate ? 40 : 0);
  }

  static int failures() { return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count(); }

  const kube::RealClient client_;
  const Logger log_{system_clock(), std::make_shared<io::LineLogSink>(1, io::LogFormat::kText), LogLevel::kInfo};
};

TEST_F(RestoreKills, ChangeNothingInHowItEnds) {
  const bool is_long = Environment::of_process().get("LANDFALL_LONG").has_value();
  std::map<std::string, Undisturbed> expected;
  for (const std::string& policy : {kLeave, kUpdate}) expected[policy] = undisturbed(policy);
  ASSERT_FALSE(HasFailure());
  int tried = 0;
  int missed = 0;
  for (const Point& point : points()) {
    if (!is_long && !point.is_always) continue;
    SCOPED_TRACE(point.name + ", policy " + point.policy);
    ++tried;
    // What was over so soon gets a second chance to be hit; the machine may be less busy than it was at first.
    if (try_point(point, expected[point.policy], 1) || try_point(point, expected[point.policy], 0.5)) continue;
    ++missed;
    say(point.name + ": MISSED: the restore had ended before the server was killed");
  }
  EXPECT_EQ(tried, is_long ? kPoints : kPointsAlways);
  EXPECT_LE(missed * 3, tried) << "most kills must come in the middle of the restore";
}

TEST_F(RestoreKills, LetAnotherReplicaTakeOver) {
  const Undisturbed expected = undisturbed(kUpdate);
  RestoreInstallation in(client());
  guarded(in, [&] {
    in.start();
    EXPECT_TRUE(stories::soon([&] { return in.leader() == RestoreInstallation::identity(0); }));
    in.start(1);
    EXPECT_TRUE(stories::soon([&] { return in.output_of(1).find("waiting for the lease") != std::string::npos; }));
    const Json now = in.await(in.create_restore(kUpdate),
                              [](const Json& restore) { return progress_of(restore, "itemsRestored") > 0; });
    in.kill();
    EXPECT_FALSE(has_restore_ended(now));
    expect_end(in, now, expected.ending, false);
    EXPECT_EQ(in.leader(), RestoreInstallation::identity(1));
    return true;
  });
}

TEST_F(RestoreKills, AreNoWorseThanAStop) {
  const Undisturbed expected = undisturbed(kLeave);
  RestoreInstallation in(client());
  guarded(in, [&] {
    in.start();
    in.await(in.create_restore(kLeave), [](const Json& restore) { return progress_of(restore, "itemsRestored") > 0; });
    EXPECT_TRUE(in.stop()) << "it has to be killed";
    const Json now = in.restore();
    EXPECT_TRUE(is_in(RestorePhase::kInProgress, now)) << now.dump(1);
    in.start();
    expect_end(in, now, expected.ending);
    return true;
  });
}

}  // namespace
}  // namespace landfall
