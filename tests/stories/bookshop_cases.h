#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "stories/bookshop.h"
#include "stories/bookshop_filters.h"
#include "stories/contents.h"
#include "stories/patience.h"
#include "stories/stage.h"
#include "stories/sweep.h"
#include "testkit/temp_dir.h"

// Backups of the bookshop: with every filter, and beside those that real Velero made. The cases run on the sandbox
// (bookshop_backup_test.cc) and on a kube-apiserver (tests/real).
namespace landfall::stories {

// A cluster for the bookshop.
struct BookshopTarget {
  std::string name;
  std::filesystem::path sources;
  // Whether there are controllers: without them no pods, no claims, nothing that the workloads are for.
  bool has_workloads = false;
  std::string name_space;  // of the server
  // Also keeps alive what the client needs.
  std::function<std::shared_ptr<kube::Client>()> connect;
  // What differs from real Velero's backups here, and why.
  std::vector<KnownDifference> known_differences;
};
inline std::ostream& operator<<(std::ostream& out, const BookshopTarget& target) { return out << target.name; }

// A server that other tests use as well holds more that has the labels we ask for.
inline bool is_of_others(const Item& item) {
  const std::string& place = item.ref.resource.resource == "namespaces" ? item.ref.name : item.ref.name_space;
  return !place.empty() && !place.starts_with("bookshop");
}

class BookshopBackup : public testing::TestWithParam<BookshopTarget> {
 protected:
  void SetUp() override {
    client_ = GetParam().connect();
    shop_ = std::make_unique<Bookshop>(*client_, GetParam().sources);
    if (!GetParam().has_workloads) sweep();
    std::filesystem::create_directory(directory_.path() / "bucket");
    stage_ = std::make_unique<Stage>(
        *client_, Stage::Settings{.name_space = GetParam().name_space, .bucket = directory_.path() / "bucket"});
    shop_->open();
    if (GetParam().has_workloads) shop_->await_workloads();
  }
  void TearDown() override {
    stage_.reset();
    if (client_ && !GetParam().has_workloads) sweep();
  }
  // A cluster without controllers is one that others use as well.
  void sweep() {
    shop_->close();
    sweep_namespace(*client_, must(kube::discover(*client_, {})), GetParam().name_space);
  }

  void add_policy(const std::string& name, const std::string& yaml) const {
    must(kube::Resource(*client_, {"", "v1", "configmaps"}, GetParam().name_space)
             .create({{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", name}}},
                      {"data", {{"policy.yaml", yaml}}}},
                     {}));
  }

  // The names of ours; those of others go to `elsewhere`.
  static std::vector<std::string> ours(const std::vector<Item>& items, std::vector<std::string>& elsewhere) {
    std::vector<std::string> names;
    for (const Item& item : items) (Bookshop::owns(item.ref) ? names : elsewhere).push_back(to_string(item.ref));
    std::ranges::sort(names);
    return names;
  }

  // The file of a backup that real Velero made.
  archive::SpooledArchive archive_of_velero(const std::string& name) const {
    const auto reader = must(velero_location()->backups().open(name, bucket::BackupArtifact::kContents, {}));
    return must(archive::SpooledArchive::read(*reader, {.directory = "/tmp", .limits = {}}, {}, {}));
  }
  json::Json document_of_velero(const std::string& name, bucket::BackupArtifact artifact) const {
    return must(velero_location()->backups().read(name, artifact, {})).value();
  }

  void expect_whole(const std::string& backup) const {
    const bucket::VerifyReport report = stage_->verify(backup);
    EXPECT_TRUE(report.is_whole()) << join(report.problems, "\n");
    EXPECT_TRUE(report.has_checksums);
    EXPECT_EQ(report.unlisted_count, 0);
    const json::Json status = must(stage_->objects(api::kBackup).get(backup, {}))["status"];
    const auto counted = report.items + static_cast<std::int64_t>(report.absent.size());
    EXPECT_EQ(json::int_or(status, {"progress", "totalItems"}, 0), counted);
    EXPECT_EQ(json::int_or(status, {"progress", "itemsBackedUp"}, 0), counted);
  }

  // Only the pod whose volume nobody can take is missing, and it says why.
  void expect_that_db_failed(const std::string& backup) const {
    const json::Json found = must(stage_->objects(api::kBackup).get(backup, {}));
    EXPECT_EQ(json::string_or(found, {"status", "phase"}, ""), "PartiallyFailed");
    EXPECT_EQ(json::int_or(found, {"status", "errors"}, 0), 1);
    EXPECT_EQ(json::int_or(found, {"status", "warnings"}, 0), 1);
    const bucket::VerifyReport report = stage_->verify(backup);
    ASSERT_EQ(report.absent.size(), 1U);
    EXPECT_EQ(report.absent[0].kind, "v1/Pod");
    EXPECT_EQ(report.absent[0].name, "bookshop/db-0");
    EXPECT_THAT(report.absent[0].reason, testing::HasSubstr("no node agent is running on node localhost"));
  }

  // Why the data of the one volume is not in the backup; empty when the volume is not in it either.
  std::string why_skipped(const std::string& backup) const {
    const json::Json rows = stage_->document(backup, bucket::BackupArtifact::kVolumeInfos);
    if (rows.empty()) return "";
    EXPECT_EQ(rows.size(), 1U) << rows.dump(1);
    EXPECT_EQ(json::string_or(rows[0], {"pvName"}, ""), "pv-books-db");
    EXPECT_EQ(json::string_or(rows[0], {"pvcName"}, ""), "data-db-0");
    EXPECT_EQ(json::string_or(rows[0], {"pvcNamespace"}, ""), "bookshop");
    EXPECT_TRUE(rows[0]["skipped"] == true);
    return json::string_or(rows[0], {"skippedReason"}, "");
  }

 private:
  std::unique_ptr<location::OpenedLocation> velero_location() const {
    return must(location::open_root((GetParam().sources / "tests/data/velero-1.18.3").string(),
                                    {.environment = environment_, .clock = system_clock()}));
  }

 protected:
  const testkit::TempDir directory_;
  const Environment environment_;
  std::shared_ptr<kube::Client> client_;
  std::unique_ptr<Bookshop> shop_;
  std::unique_ptr<Stage> stage_;  // last: its server ends first
};

TEST_P(BookshopBackup, HoldsWhatVelerosHolds) {
  std::vector<std::string> found;
  for (const std::string name : {"bookshop", "by-label"}) {
    const json::Json theirs = document_of_velero(name, bucket::BackupArtifact::kMetadata);
    const json::Json backup = stage_->back_up(name, theirs["spec"]);
    expect_whole(name);
    EXPECT_EQ(backup["spec"], theirs["spec"]);
    std::vector<Item> items = contents_of(stage_->archive(name));
    if (!GetParam().has_workloads) std::erase_if(items, is_of_others);
    const auto lines = differences(contents_of(archive_of_velero(name)), items);
    found.insert(found.end(), lines.begin(), lines.end());
  }
  EXPECT_EQ(join(unexplained(found, GetParam().known_differences), "\n"), "");
  EXPECT_EQ(stage_->phase(api::kBackup, "by-label"), "Completed");
}

TEST_P(BookshopBackup, FailsForThePodWhoseVolumeNobodyTakesAsVelerosDoes) {
  const json::Json theirs = document_of_velero("bookshop", bucket::BackupArtifact::kMetadata);
  const json::Json backup = stage_->back_up("bookshop", theirs["spec"]);
  if (!GetParam().has_workloads) {
    // No pod, no claim: nothing fails, and no volume is in the backup.
    EXPECT_EQ(json::string_or(backup, {"status", "phase"}, ""), "Completed");
    EXPECT_EQ(why_skipped("bookshop"), "");
    return;
  }
  expect_that_db_failed("bookshop");
  for (const char* field : {"phase", "errors", "warnings", "version", "formatVersion", "hookStatus"}) {
    EXPECT_EQ(backup["status"][field], theirs["status"][field]) << field;
  }

  // Velero has the error under `velero`, without the resource: " name: /db-0 message: …". Ours stands where the pod is.
  // The reason is in our words.
  const std::string why_lost =
      "no node agent is running on node localhost: does the DaemonSet node-agent in namespace velero exist, and may "
      "its "
      "pods run there?";
  const std::string pod = " resource: /pods name: /db-0 message: ";
  EXPECT_EQ(stage_->document("bookshop", bucket::BackupArtifact::kResults),
            json::Json(
                {{"errors",
                  {{"namespaces", {{"bookshop", {pod + "/Error backing up item error: /volume data: " + why_lost}}}}}},
                 {"warnings", {{"namespaces", {{"bookshop", {pod + "/Skip pod volume data error: /" + why_lost}}}}}}}));

  json::Json their_rows = document_of_velero("bookshop", bucket::BackupArtifact::kVolumeInfos);
  json::Json rows = stage_->document("bookshop", bucket::BackupArtifact::kVolumeInfos);
  const std::string why = why_skipped("bookshop");
  EXPECT_THAT(why, testing::StartsWith("podvolume: "));
  EXPECT_THAT(why, testing::HasSubstr(why_lost + ";volumeSnapshot: "));
  their_rows[0].erase("skippedReason");
  rows[0].erase("skippedReason");
  EXPECT_EQ(rows, their_rows);
}

TEST_P(BookshopBackup, HoldsWhatEachFilterSays) {
  add_policy("only-texts", kOnlyTexts);
  add_policy("no-local-volumes", kNoLocalVolumes);
  for (const FilterCase& one : filter_cases()) {
    SCOPED_TRACE(one.name + ": " + one.spec.dump());
    const json::Json backup = stage_->back_up(one.name, one.spec);
    std::vector<std::string> elsewhere;
    const std::vector<Item> items = contents_of(stage_->archive(one.name));

    EXPECT_EQ(join(ours(items, elsewhere), "\n"), join(expected_items(one, GetParam().has_workloads), "\n"));
    // The sandbox is ours alone and has one of everything that is asked for; on the other server there may be anything.
    if (GetParam().has_workloads) {
      EXPECT_EQ(elsewhere.empty(), !one.is_elsewhere_too) << join(elsewhere, "\n");
    }
    expect_whole(one.name);
    if (one.is_db_lost && GetParam().has_workloads) {
      expect_that_db_failed(one.name);
    } else {
      EXPECT_EQ(json::string_or(backup, {"status", "phase"}, ""), "Completed") << backup["status"].dump(1);
      EXPECT_EQ(json::int_or(backup, {"status", "errors"}, 0), 0);
      EXPECT_EQ(json::int_or(backup, {"status", "warnings"}, 0), 0);
    }
    if (GetParam().has_workloads) {
      EXPECT_EQ(why_skipped(one.name), one.why_skipped);
    }
    for (const std::vector<std::string>& order : one.orders) {
      std::vector<std::string> found;
      for (const Item& item : items) {
        if (std::ranges::find(order, to_string(item.ref)) != order.end()) found.push_back(to_string(item.ref));
      }
      EXPECT_EQ(found, order);
    }
  }
}

}  // namespace landfall::stories
