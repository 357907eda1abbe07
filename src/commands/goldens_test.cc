#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rfc3339.h"
#include "cli/test_cluster.h"
#include "commands/all_commands.h"
#include "commands/test_golden_text.h"
#include "json/parse.h"
#include "json/yaml.h"

// What Velero 1.18.3 printed for the objects in tests/data/cli-goldens, and what we print: see the README there.
namespace landfall::cli {
namespace {

using json::Json;
namespace fs = std::filesystem;

fs::path goldens() { return fs::path(LANDFALL_SOURCE_DIR) / "tests/data/cli-goldens"; }

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Runs as the system's clock, and shows the time at which Velero's output was recorded.
class RecordedClock final : public Clock {
 public:
  WallTime wall_now() const override { return time_; }
  SteadyTime now() const override { return system_clock().now(); }
  bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable_any& changed, const std::stop_token& stop,
                  SteadyTime deadline, const std::function<bool()>& ready) override {
    return system_clock().wait_until(lock, changed, stop, deadline, ready);
  }

 private:
  WallTime time_ = parse_rfc3339(trim(text_of(goldens() / "recorded-at.txt"))).value();
};

struct Case {
  std::string name;
  std::vector<std::string> words;
};

std::vector<Case> cases_of(std::string_view prefix) {
  std::vector<Case> cases;
  std::ifstream lines(goldens() / "cases.txt");
  for (std::string line; std::getline(lines, line);) {
    const auto parts = cut(line, ':');
    if (!parts || line.starts_with("#") || !parts->first.starts_with(prefix)) continue;
    Case one{.name = std::string(parts->first)};
    for (const std::string_view word : split_words(parts->second)) one.words.emplace_back(word);
    cases.push_back(std::move(one));
  }
  return cases;
}

class Goldens : public testing::Test {
 protected:
  Goldens() {
    cluster_.create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", "elsewhere"}}}});
    for (const char* file :
         {"recorded", "backups", "backup_parts", "restores", "restore_parts", "schedules", "locations"}) {
      load(goldens() / "objects" / (std::string(file) + ".yaml"));
    }
    for (const auto& file : fs::recursive_directory_iterator(goldens() / "files")) {
      if (!file.is_regular_file()) continue;
      server_.serve(file.path().parent_path().filename() / file.path().stem(), text_of(file.path()));
    }
    server_.say({{"processedTimestamp", "2026-11-16T04:00:00Z"},
                 {"plugins", Json::parse(text_of(goldens() / "plugins.json"))}});
  }

  void load(const fs::path& file) {
    const std::vector<Json> objects = json::parse_yaml_documents(text_of(file)).value();
    for (Json object : objects) {
      const auto kind = std::ranges::find(api::kAllKinds, object["kind"].get<std::string>(), &api::Kind::name);
      const kube::Resource resource(cluster_.client(), kind->resource(), object["metadata"]["namespace"]);
      Json* uid = json::find(object, {"metadata", "labels", "velero.io/backup-uid"});
      if (uid != nullptr && *uid == "") *uid = uids_[object["metadata"]["labels"]["velero.io/backup-name"]];
      const bool is_deleted = object["metadata"].erase("deletionTimestamp") > 0;
      const Json made = resource.create(object, {}).value();
      if (object["kind"] == "Backup") uids_[object["metadata"]["name"]] = made["metadata"]["uid"];
      if (is_deleted) resource.remove(object["metadata"]["name"], {}).value();
    }
  }

  // When the API server says that something was created or deleted.
  std::set<std::string> times() const {
    std::set<std::string> times;
    for (const api::Kind& kind : api::kAllKinds) {
      const auto all = kube::Resource(cluster_.client(), kind.resource(), "").list({}, {}).value();
      for (const Json& one : all.items) {
        times.insert(json::string_or(one, {"metadata", "creationTimestamp"}, ""));
        times.insert(json::string_or(one, {"metadata", "deletionTimestamp"}, ""));
      }
    }
    times.erase("");
    return times;
  }

  std::string run(const Case& one, const std::string& program) {
    std::map<std::string, std::string> environment = {{"HOME", cluster_.directory().path()}};
    if (!one.name.ends_with("coloured")) environment["NO_COLOR"] = "1";
    const Ran ran =
        cluster_.run(one.words, {.program = program, .environment = Environment(environment), .clock = &clock_});
    EXPECT_EQ(ran.code, 0) << one.name << ": " << ran.err;
    // Where there is nothing, Velero is silent; we say so beside the output.
    const bool is_said = program != "velero" && ran.out.empty();
    EXPECT_EQ(ran.err.substr(0, 3), is_said ? "No " : "") << one.name << ": " << ran.err;
    return golden_text(ran.out, times());
  }

  // JSON of `get` is compared as documents: Velero's keys are in the order of its types, ours are sorted.
  static void expect_same(const Case& one, const std::string& program, const std::string& expected,
                          const std::string& found) {
    const bool is_document = contains(one.name, "-get") && one.name.ends_with("json");
    if (is_document ? comparable(found) == comparable(expected) : found == expected) return;
    const fs::path kept = fs::path(testing::TempDir()) / "cli-goldens" / program;
    fs::create_directories(kept);
    std::ofstream(kept / (one.name + ".txt")) << found;
    ADD_FAILURE() << program << " " << testing::PrintToString(one.words) << " (now in " << (kept / one.name)
                  << ".txt):\n"
                  << found;
  }
  static Json comparable(const std::string& text) {
    Json document = Json::parse(golden_text(text, {}), nullptr, false);
    const bool is_list = document.contains("items");
    if (is_list) document["metadata"] = Json::object();
    for (Json& object : is_list ? document["items"] : document = Json::array({document})) {
      object["metadata"].erase("managedFields");
      object["metadata"].erase("resourceVersion");
    }
    return document;
  }

  // What we print of ourselves where nothing is added: our name, and no blank line behind YAML.
  static std::string ours_of(const Case& one, std::string velero) {
    if (one.name.ends_with("yaml")) velero.pop_back();
    velero = replaced(std::move(velero), "velero backup logs", "landfall backup logs");
    return replaced(std::move(velero), "velero restore logs", "landfall restore logs");
  }

  void check(std::string_view prefix) {
    for (const Case& one : cases_of(prefix)) {
      const std::string velero = text_of(goldens() / "velero" / (one.name + ".txt"));
      expect_same(one, "velero", velero, run(one, "velero"));
      const fs::path own = goldens() / "landfall" / (one.name + ".txt");
      expect_same(one, "landfall", fs::exists(own) ? text_of(own) : ours_of(one, velero), run(one, "landfall"));
    }
  }

  TestCluster cluster_{add_all_commands};
  RecordedClock clock_;
  std::map<std::string, Json> uids_;
  PlayedServer server_{cluster_, "v1.18.3"};
};

TEST_F(Goldens, AreWhatBackupGetPrints) { check("backup-get"); }
TEST_F(Goldens, AreWhatTheOtherGetsPrint) {
  for (const char* noun : {"restore", "schedule", "backup-location", "snapshot-location", "repo", "plugin"}) {
    check(std::string(noun) + "-get");
  }
}
TEST_F(Goldens, AreWhatBackupDescribePrints) { check("backup-describe"); }
TEST_F(Goldens, AreWhatRestoreDescribePrints) { check("restore-describe"); }
TEST_F(Goldens, AreWhatScheduleDescribePrints) { check("schedule-describe"); }

}  // namespace
}  // namespace landfall::cli
