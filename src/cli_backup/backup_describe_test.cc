#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "cli_backup/backup_description.h"
#include "json/json.h"

// What is shown in place of files that cannot be fetched; tests/data/cli-goldens has all else.
namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class BackupDescribe : public testing::Test {
 protected:
  std::string text() {
    const Context context{.program = "landfall", .clock = clock_, .in = in_, .out = out_, .err = out_};
    return describe_backup(what_, context);
  }

  ManualClock clock_;
  io::StringReader in_{""};
  io::StringWriter out_;
  Json backup_ =
      Json::parse(R"({"metadata": {"name": "b"}, "status": {"errors": 1, "backupItemOperationsAttempted": 1}})");
  const DescribedFile failed_{.is_wanted = true, .error = "the server is away"};
  BackupDescription what_{.backup = backup_,
                          .results = failed_,
                          .item_operations = failed_,
                          .resource_list = failed_,
                          .volumes = {.error = "error getting backup volume info: the server is away"},
                          .details = true};
};

TEST_F(BackupDescribe, SaysWhyFilesAreNotShown) {
  EXPECT_THAT(text(),
              AllOf(HasSubstr("Warnings:  <error getting warnings: the server is away>\n"),
                    HasSubstr("Errors:  <error getting errors: the server is away>\n"),
                    HasSubstr("<error getting operation info: the server is away>\n"),
                    HasSubstr("Resource List:           <error getting backup resource list: the server is away>\n"),
                    HasSubstr("Backup Volumes:\n  <error getting backup volume info: the server is away>\n")));
}

TEST_F(BackupDescribe, HasTheErrorsInTheDocumentThatVeleroHas) {
  const Json document = Json::parse(describe_backup_as_json(what_));
  EXPECT_EQ(document["errors"], Json::parse(R"({"errorGettingErrors": {}})"));
  EXPECT_EQ(document["warnings"], Json::parse(R"({"errorGettingWarnings": {}})"));
  EXPECT_EQ(document["status"]["errorGettingResourceList"], "<error getting backup resource list: the server is away>");
  EXPECT_FALSE(document["status"].contains("backupVolumes"));
}

TEST_F(BackupDescribe, LivesWithDocumentsOfAnotherForm) {
  const DescribedFile odd{.is_wanted = true, .document = std::make_shared<const Json>("a text")};
  backup_ = Json::parse(R"({"metadata": [], "spec": {"hooks": {"resources": [7]}, "orderedResources": {"a": 1}},
                            "status": {"errors": 1, "progress": 5, "backupItemOperationsAttempted": 1}})");
  what_.results = what_.item_operations = what_.resource_list = odd;
  what_.volumes = {.native = {Json(1)}, .csi = {Json("x")}, .without_data = {Json()}};
  what_.pod_volume_backups = {Json(2)};
  what_.delete_requests = {Json(3)};
  EXPECT_THAT(text(), HasSubstr("Backup Volumes:\n"));
  EXPECT_THAT(describe_backup_as_json(what_), HasSubstr("backupVolumes"));
}

}  // namespace
}  // namespace landfall::cli
