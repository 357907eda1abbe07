#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "json/access.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/velero_comparison.h"

// The restores that real Velero made of the bookshop, made by us, on a cluster without controllers as theirs was. The
// cases run on the sandbox (restored_by_velero_test.cc) and on a kube-apiserver (tests/real).
namespace landfall::restore_suite {

struct EmptyCluster {
  std::string name;
  std::string restore;  // which one
  std::filesystem::path sources;
  std::function<std::shared_ptr<kube::Client>()> connect;
  // Takes away what a restore has left, and what one before it may have.
  std::function<void(kube::Client&)> sweep;

  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
  friend void PrintTo(const EmptyCluster& cluster, std::ostream* out) {
    *out << cluster.name << " " << cluster.restore;
  }
};

class RestoredByVelero : public ::testing::TestWithParam<EmptyCluster> {
 protected:
  void SetUp() override { GetParam().sweep(*client_); }
  void TearDown() override { GetParam().sweep(*client_); }
  std::string data() const { return (GetParam().sources / "tests/data/").string(); }

  std::shared_ptr<kube::Client> client_ = GetParam().connect();
};

TEST_P(RestoredByVelero, LeavesTheSameObjects) {
  const std::string name = GetParam().restore;
  const std::string stored = data() + "velero-1.18.3/restores/" + name + "/restore-" + name;
  const json::Json theirs = stored_document(data() + "restored-by-velero/" + name + "/restore.json");
  const Script script{
      .backup = stored_document(data() + "velero-1.18.3/backups/bookshop/velero-backup.json"),
      .restore_spec = theirs.at("spec"),
      .restore_name = name,
      .volume_infos = stored_list(data() + "velero-1.18.3/backups/bookshop/bookshop-volumeinfo.json.gz")};
  const auto archive = stored_archive(data() + "velero-1.18.3/backups/bookshop/bookshop.tar.gz");

  const Outcome outcome = restore_all(*client_, archive, script);

  const auto expected = stored_objects(data() + "restored-by-velero/" + name + "/objects.json");
  EXPECT_THAT(differences(expected, objects_like(expected, *client_, name)), ::testing::IsEmpty());
  EXPECT_EQ(outcome.last.items.total, theirs.at("status").at("progress").at("totalItems").get<std::int64_t>());
  EXPECT_EQ(outcome.last.items.done, theirs.at("status").at("progress").at("itemsRestored").get<std::int64_t>());
  EXPECT_EQ(outcome.results, stored_list(stored + "-results.gz"));
  EXPECT_EQ(outcome.resource_list, stored_list(stored + "-resource-list.json.gz"));
}

}  // namespace landfall::restore_suite
