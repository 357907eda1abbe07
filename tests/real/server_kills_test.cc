// The server is killed without warning (kill -9) at chosen points of a backup and started again: each time the backup
// completes, and the bucket holds exactly one whole backup.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "api/definitions.h"
#include "api/names.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "bucket/verify.h"
#include "io/log_sink.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "kube/watch.h"
#include "real/bench_objects.h"
#include "real/folder_watch.h"
#include "real/real_client.h"
#include "real/s3_server.h"
#include "real/server_process.h"
#include "store/filesystem_store.h"
#include "testkit/temp_dir.h"

namespace landfall {
namespace {

using api::BackupPhase;
using bucket::BackupArtifact;
using json::Json;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kNamespaces = 3;
constexpr int kObjects = 1000;  // in each
constexpr int kItems = kNamespaces * (kObjects + 1);
constexpr Duration kPatience = std::chrono::seconds(90);
constexpr const char* kBackup = "b";
constexpr const char* kLocation = "default";

// When to kill.
struct AtCreation {};
struct Seen {  // in the Backup
  std::function<bool(const Json& backup)> wanted;
};
struct Appears {  // in its folder in the bucket; no artifact is a temporary file of any
  std::optional<BackupArtifact> artifact;
  int times = 1;
};
struct After {  // it is InProgress: this part of the time that an undisturbed backup takes
  double part = 0;
};
using Moment = std::variant<AtCreation, Seen, Appears, After>;

struct Point {
  std::string name;
  bool is_always = false;  // without LANDFALL_LONG too
  std::vector<Moment> moments;

  bool is_about_files() const { return std::holds_alternative<Appears>(moments.front()); }
};

Moment phase(BackupPhase phase) {
  return Seen{[phase](const Json& backup) { return api::phase_of<BackupPhase>(backup) == phase; }};
}

Moment step(const std::string& step) {
  return Seen{
      [step](const Json& backup) { return json::string_or(backup, {"status", "progress", "step"}, "") == step; }};
}

std::int64_t progress_of(const Json& backup, const char* field) {
  return json::int_at(backup, {"status", "progress", field}).value_or(0);
}

Moment total() {
  return Seen{[](const Json& backup) { return progress_of(backup, "totalItems") > 0; }};
}

// 20, of which 8 are always tried. What is stored in which order: the log, the contents, other artifacts, at the end
// the checksums and the Backup itself; the finalizer announces new checksums, writes the Backup and settles the
// checksums.
std::vector<Point> points() {
  using enum BackupPhase;
  using enum BackupArtifact;
  constexpr bool kAlways = true;
  return {
      {"created", false, {AtCreation()}},
      {"Queued", false, {phase(kQueued)}},
      {"ReadyToStart", kAlways, {phase(kReadyToStart)}},
      {"InProgress", false, {phase(kInProgress)}},
      {"collecting", false, {step("Collecting")}},
      {"total known, and again", kAlways, {total(), total()}},
      {"uploading", kAlways, {step("Uploading")}},
      {"Finalizing", kAlways, {phase(kFinalizing)}},
      {"log stored", false, {Appears{kLog}}},
      {"contents being stored", kAlways, {Appears{std::nullopt, 2}}},
      {"contents stored", false, {Appears{kContents}}},
      {"resource list stored", false, {Appears{kResourceList}}},
      {"Backup stored", kAlways, {Appears{kMetadata}}},
      {"checksums stored", false, {Appears{kChecksums}}},
      {"new checksums announced", false, {Appears{kChecksums, 2}}},
      {"Backup stored by the finalizer", kAlways, {Appears{kMetadata, 2}}},
      {"a fifth of the time", false, {After{0.2}}},
      {"two fifths of the time", false, {After{0.4}}},
      {"three fifths of the time", kAlways, {After{0.6}}},
      {"four fifths of the time", false, {After{0.8}}},
  };
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

// The cluster with our definitions and the objects that are backed up.
class Cluster {
 public:
  Cluster() {
    const kube::Resource definitions(*client_, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
    for (const Json& definition : api::custom_resource_definitions()) {
      must(definitions.patch(std::string(k8s::ObjectView(definition).name()), kube::PatchType::kApply, definition, {},
                             {.field_manager = "landfall-tests", .force = true}));
    }
    for (const api::Kind& kind : api::kAllKinds) await_served(kind);
    std::atomic<int> wrong = 0;
    constexpr int kThreads = 32;
    for (int i = 0; i < kNamespaces; ++i) {
      namespaces_.push_back(kube::fresh_namespace(*client_));
      create_bench_objects(kube::Resource(*client_, kube::kBenchKind, namespaces_.back()), kThreads, kObjects, wrong);
    }
    if (wrong > 0) throw std::runtime_error(std::to_string(wrong) + " objects could not be created");
  }

  kube::Client& client() const { return *client_; }
  const std::vector<std::string>& namespaces() const { return namespaces_; }
  const S3Server& minio() const { return minio_; }

 private:
  void await_served(const api::Kind& kind) const {
    const SteadyTime deadline = system_clock().after(kPatience);
    while (!kube::Resource(*client_, kind.resource()).list({}, {})) {
      if (system_clock().now() > deadline) throw std::runtime_error(kind.definition() + " is not served");
      system_clock().sleep_for(std::chrono::milliseconds(20), {});
    }
  }

  const kube::RealClient client_;
  const S3Server minio_{"LANDFALL_REAL_MINIO"};
  std::vector<std::string> namespaces_;
};

// A server in a namespace of its own, with one location: a directory, or a prefix in a bucket of MinIO.
class Installation {
 public:
  Installation(const Cluster& cluster, bool is_directory)
      : cluster_(cluster), namespace_(kube::fresh_namespace(cluster.client())) {
    Json spec = {{"provider", "aws"},
                 {"objectStorage", {{"bucket", cluster.minio().config().at("bucket")}, {"prefix", namespace_}}},
                 {"config", cluster.minio().config()}};
    spec["config"].erase("bucket");
    if (is_directory) {
      spec = {{"provider", "filesystem"},
              {"objectStorage", {{"bucket", "bucket"}}},
              {"config", {{"path", directory_.path().string()}}}};
      std::filesystem::create_directories(folder());
    }
    store_ = must(is_directory ? store::open_filesystem(directory_config(), Logger()) : cluster.minio().open());
    backups_ =
        std::make_unique<bucket::BackupStore>(*store_, must(bucket::Layout::create(is_directory ? "" : namespace_)));
    create(api::kBackupStorageLocation, kLocation, spec);
  }

  void start() {
    std::map<std::string, std::string> environment = cluster_.minio().environment().all();
    environment.insert({{"PATH", "/usr/bin:/bin"}, {"POD_NAME", "landfall-0"}, {"POD_IP", "127.0.0.1"}});
    server_ = std::make_unique<ServerProcess>(
        std::vector<std::string>{"--namespace", namespace_, "--kubeconfig", real_component("LANDFALL_REAL_KUBECONFIG"),
                                 "--metrics-address", "127.0.0.1:0", "--artifacts-address", "127.0.0.1:0"},
        std::move(environment), output());
    const SteadyTime deadline = system_clock().after(kPatience);
    while (api::status_text(get(api::kBackupStorageLocation, kLocation), api::field::kPhase) != "Available") {
      if (!is_running()) throw std::runtime_error("the server has ended: " + last_words());
      if (system_clock().now() > deadline) throw std::runtime_error("the location does not become available");
      system_clock().sleep_for(std::chrono::milliseconds(20), {});
    }
  }
  void kill() { server_->kill(); }
  bool is_running() const { return server_->is_running(); }

  Json create_backup() const {
    return create(api::kBackup, kBackup,
                  {{"includedNamespaces", cluster_.namespaces()}, {"storageLocation", kLocation}});
  }
  Json backup() const { return get(api::kBackup, kBackup); }
  kube::Resource objects(const api::Kind& kind) const {
    return kube::Resource(cluster_.client(), kind.resource(), namespace_);
  }
  bucket::BackupStore& bucket() const { return *backups_; }
  // In the directory; there from the beginning, so that it can be watched.
  std::filesystem::path folder() const { return directory_.path() / "bucket" / "backups" / kBackup; }
  const std::filesystem::path& directory() const { return directory_.path(); }
  // The settings of the location that is a directory.
  store::StoreConfig directory_config() const { return {{"path", directory_.path()}, {"bucket", "bucket"}}; }

  // What the server said last.
  std::string last_words() const {
    std::ifstream file(output());
    std::string text(std::istreambuf_iterator<char>(file), {});
    constexpr std::size_t kMost = 12'000;
    return text.size() > kMost ? text.substr(text.size() - kMost) : text;
  }

 private:
  std::string output() const { return directory_.path() / "server.log"; }
  Json get(const api::Kind& kind, const std::string& name) const { return must(objects(kind).get(name, {})); }
  Json create(const api::Kind& kind, const std::string& name, const Json& spec) const {
    return must(objects(kind).create({{"apiVersion", kind.api_version()},
                                      {"kind", std::string(kind.name)},
                                      {"metadata", {{"name", name}}},
                                      {"spec", spec}},
                                     {}));
  }

  const Cluster& cluster_;
  const std::string namespace_;
  const testkit::TempDir directory_;
  std::unique_ptr<extension::ObjectStore> store_;
  std::unique_ptr<bucket::BackupStore> backups_;
  std::unique_ptr<ServerProcess> server_;
};

bool has_ended(const Json& backup) {
  const auto phase = api::phase_of<BackupPhase>(backup);
  return phase && is_final(*phase);
}

// The Backup as soon as it is as wanted, or as it ended. Every state since `seen` is looked at.
Json await(const Installation& in, const Json& seen, const std::function<bool(const Json&)>& wanted) {
  std::optional<Json> found;
  const auto on_event = [&](kube::WatchEventType type, Json& backup) -> Result<bool> {
    if (type != kube::WatchEventType::kBookmark && (wanted(backup) || has_ended(backup))) found = std::move(backup);
    return !found;
  };
  const kube::WatchOptions options{.resource_version = std::string(k8s::ObjectView(seen).resource_version()),
                                   .server_timeout = kPatience};
  const Status watched = kube::watch(in.objects(api::kBackup), options, on_event, {});
  if (!watched) throw std::runtime_error("watch: " + watched.error().message());
  if (!found) throw std::runtime_error("the backup does not go on: " + in.backup().dump());
  return *found;
}

Json await_end(const Installation& in, const Json& seen) {
  return has_ended(seen) ? seen : await(in, seen, [](const Json&) { return false; });
}

class Killer {
 public:
  Killer(Installation& in, Duration duration) : in_(in), duration_(duration) {
    if (std::filesystem::exists(in.folder())) files_.emplace(in.folder());
  }

  // Kills the server at the moment, at the latest when the backup has ended, and returns the Backup as it is then.
  Json kill_at(const Moment& moment, const Json& seen) {
    std::visit([&](const auto& when) { wait(when, seen); }, moment);
    in_.kill();
    return in_.backup();
  }

 private:
  void wait(const AtCreation&, const Json&) {}
  void wait(const Seen& when, const Json& seen) { await(in_, seen, when.wanted); }
  void wait(const After& when, const Json& seen) {
    await(in_, seen, [](const Json& now) { return api::phase_of<BackupPhase>(now) == BackupPhase::kInProgress; });
    system_clock().sleep_for(std::chrono::duration_cast<Duration>(duration_ * when.part), {});
  }
  void wait(const Appears& when, const Json&) {
    const auto folder = in_.bucket().layout().backup(kBackup).value();
    const SteadyTime deadline = system_clock().after(kPatience);
    files_->wait(
        [&](const std::string& name) {
          return when.artifact ? name == folder.file(*when.artifact) : io::is_temporary_name(name);
        },
        when.times, [&] { return has_ended(in_.backup()) || system_clock().now() > deadline; });
  }

  Installation& in_;
  const Duration duration_;
  std::optional<FolderWatch> files_;
};

void expect_completed(const Json& backup) {
  EXPECT_EQ(api::status_text(backup, api::field::kPhase), "Completed");
  EXPECT_EQ(api::status_text(backup, api::field::kFailureReason), "");
  EXPECT_EQ(api::status_count(backup, api::field::kErrors), 0);
  EXPECT_EQ(api::status_count(backup, api::field::kWarnings), 0);
  EXPECT_EQ(progress_of(backup, "totalItems"), kItems);
  EXPECT_EQ(progress_of(backup, "itemsBackedUp"), kItems);
  const auto started = api::status_time(backup, api::field::kStartTimestamp);
  EXPECT_GE(started, k8s::ObjectView(backup).creation_timestamp());
  EXPECT_LE(started, api::status_time(backup, api::field::kCompletionTimestamp));
}

void expect_one_whole_backup(const Installation& in) {
  EXPECT_THAT(in.bucket().backups({}).value(), ElementsAre(kBackup));
  const auto report = verify(in.bucket(), kBackup, {.spool_directory = in.directory()}, {});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->is_whole());
  EXPECT_TRUE(report->has_checksums);
  EXPECT_EQ(report->phase, "Completed");
  EXPECT_EQ(report->items, kItems);
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_THAT(report->absent, IsEmpty());
  EXPECT_THAT(report->unlisted, IsEmpty());
  const auto folder = in.bucket().layout().backup(kBackup).value();
  for (const bucket::VerifiedFile& file : report->files) {
    EXPECT_THAT(file.problems, IsEmpty()) << file.name;
    EXPECT_TRUE(folder.artifact(file.name)) << file.name << " is no artifact";
  }
  const auto checksums = in.bucket().read_checksums(kBackup, {}).value().value_or(bucket::Checksums());
  for (const auto& [file, checksum] : checksums.files) {
    EXPECT_THAT(checksum.previous, IsEmpty()) << file;
    EXPECT_FALSE(checksum.may_be_absent) << file;
  }
}

// Writes that died with the server have left temporary files at most, and those are known as such. Returns how many.
std::size_t sweep(const Installation& in) {
  const WallTime new_ones_too = system_clock().wall_now() + std::chrono::minutes(1);
  const std::size_t swept =
      must(must(store::open_filesystem(in.directory_config(), Logger()))->sweep("", new_ones_too, {}));
  const auto folder = in.bucket().layout().backup(kBackup).value();
  for (const auto& entry : std::filesystem::directory_iterator(in.folder())) {
    EXPECT_TRUE(folder.artifact(entry.path().filename().string())) << entry.path() << " is left";
  }
  return swept;
}

class ServerKills : public testing::Test {
 protected:
  // How long a backup takes from InProgress on.
  Duration undisturbed() {
    SCOPED_TRACE("undisturbed");
    Installation in(cluster_, false);
    in.start();
    const Json begun = await(in, in.create_backup(), [](const Json& now) {
      return api::phase_of<BackupPhase>(now) == BackupPhase::kInProgress;
    });
    const SteadyTime start = system_clock().now();
    const Json ended = await_end(in, begun);
    const Duration took = system_clock().now() - start;
    expect_completed(ended);
    expect_one_whole_backup(in);
    EXPECT_FALSE(HasFailure()) << in.last_words();
    return took;
  }

  // False when the backup had ended before the server was killed.
  bool try_point(const Point& point, Duration duration) {
    Installation in(cluster_, point.is_about_files());
    const int before = failures();
    bool has_hit = true;
    try {
      has_hit = kill_and_start_again(in, point, duration);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(failures(), before) << in.last_words();
    return has_hit;
  }

  void say(const std::string& text) const { log_.info(text); }

 private:
  bool kill_and_start_again(Installation& in, const Point& point, Duration duration) {
    in.start();
    Killer killer(in, duration);
    Json now = in.create_backup();
    std::string started;
    bool has_hit = true;
    for (const Moment& moment : point.moments) {
      now = killer.kill_at(moment, now);
      has_hit = has_hit && !has_ended(now);
      if (started.empty()) started = api::status_text(now, api::field::kStartTimestamp);
      const Json* said = json::find(now, {"status"});
      say(point.name + ": killed at " + (said != nullptr ? said->dump() : "no status"));
      in.start();
    }
    now = await_end(in, now);
    EXPECT_TRUE(in.is_running());
    expect_completed(now);
    if (!started.empty()) {
      EXPECT_EQ(api::status_text(now, api::field::kStartTimestamp), started);
    }
    EXPECT_EQ(in.objects(api::kBackup).list({}, {}).value().items.size(), 1U);
    expect_one_whole_backup(in);
    if (point.is_about_files()) say(point.name + ": temporary files left: " + std::to_string(sweep(in)));
    return has_hit;
  }

  static int failures() { return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count(); }

  const Cluster cluster_;
  const Logger log_{system_clock(), std::make_shared<io::LineLogSink>(1, io::LogFormat::kText), LogLevel::kInfo};
};

TEST_F(ServerKills, LeaveOneWholeBackup) {
  const bool is_long = Environment::of_process().get("LANDFALL_LONG").has_value();
  const Duration duration = undisturbed();
  ASSERT_FALSE(HasFailure());
  std::size_t tried = 0;
  std::size_t missed = 0;
  for (const Point& point : points()) {
    if (!is_long && !point.is_always) continue;
    SCOPED_TRACE(point.name);
    ++tried;
    // What was over so soon gets a second chance to be hit; the machine may be less busy than it was at first.
    if (try_point(point, duration) || try_point(point, duration / 2)) continue;
    ++missed;
    say(point.name + ": MISSED: the backup had ended before the server was killed");
  }
  EXPECT_EQ(tried, is_long ? 20U : 8U);
  EXPECT_LE(missed * 3, tried) << "most kills must come in the middle of the backup";
}

}  // namespace
}  // namespace landfall
