#include "restore_suite/velero_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/access.h"
#include "restore_suite/rehearsal.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"

// The restores that real Velero made of the bookshop, made by us on a sandbox without controllers.
namespace landfall::restore_suite {
namespace {

using ::testing::IsEmpty;

const std::string kData = LANDFALL_SOURCE_DIR "/tests/data/";

class RestoredByVelero : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.is_api_server_alone = true}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
  void SetUp() override { world_.start(); }
};

TEST_P(RestoredByVelero, LeavesTheSameObjects) {
  const std::string folder = kData + "restored-by-velero/" + GetParam() + "/";
  const json::Json theirs = stored_document(folder + "restore.json");
  Script script{.backup = stored_document(kData + "velero-1.18.3/backups/bookshop/velero-backup.json"),
                .restore_spec = theirs.at("spec"),
                .restore_name = GetParam(),
                .volume_infos = stored_list(kData + "velero-1.18.3/backups/bookshop/bookshop-volumeinfo.json.gz")};
  const auto archive = stored_archive(kData + "velero-1.18.3/backups/bookshop/bookshop.tar.gz");

  const Outcome outcome = restore_all(*client_, archive, script);

  const auto expected = stored_objects(folder + "objects.json");
  EXPECT_THAT(differences(expected, objects_like(expected, *client_, GetParam())), IsEmpty());
  EXPECT_EQ(outcome.last.items.total, theirs.at("status").at("progress").at("totalItems").get<std::int64_t>());
  EXPECT_EQ(outcome.last.items.done, theirs.at("status").at("progress").at("itemsRestored").get<std::int64_t>());
  EXPECT_EQ(outcome.results,
            stored_list(kData + "velero-1.18.3/restores/" + GetParam() + "/restore-" + GetParam() + "-results.gz"));
  EXPECT_EQ(outcome.resource_list, stored_list(kData + "velero-1.18.3/restores/" + GetParam() + "/restore-" +
                                               GetParam() + "-resource-list.json.gz"));
}

INSTANTIATE_TEST_SUITE_P(All, RestoredByVelero, ::testing::Values("plain", "mapped", "selector"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace landfall::restore_suite
