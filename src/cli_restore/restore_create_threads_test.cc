#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cli/test_cluster.h"
#include "cli_restore/commands.h"
#include "restore/plan_document.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOurs = "v1.18.3+landfall.0";

class RestoreCreate : public testing::Test {
 protected:
  RestoreCreate() {
    cluster_.create(api::kBackup, {{"metadata", {{"name", "nightly"}}}, {"spec", Json::object()}});
    cluster_.create(api::kBackup,
                    {{"metadata", {{"name", "old"}, {"labels", {{"velero.io/schedule-name", "daily"}}}}},
                     {"spec", Json::object()},
                     {"status", {{"phase", "PartiallyFailed"}, {"startTimestamp", "2026-05-01T00:00:00Z"}}}});
    cluster_.create(api::kBackup,
                    {{"metadata", {{"name", "new"}, {"labels", {{"velero.io/schedule-name", "daily"}}}}},
                     {"spec", Json::object()},
                     {"status", {{"phase", "PartiallyFailed"}, {"startTimestamp", "2026-05-02T00:00:00Z"}}}});
  }
  Json restore(const std::string& name) const { return cluster_.objects(api::kRestore).get(name, {}).value(); }
  std::size_t restores() const { return cluster_.objects(api::kRestore).list({}, {}).value().items.size(); }

  TestCluster cluster_{add_restore_command};
};

TEST_F(RestoreCreate, SendsWhatTheFlagsOfVeleroSay) {
  const Ran ran = cluster_.run({"restore",
                                "create",
                                "r1",
                                "--from-backup",
                                "nightly",
                                "--include-namespaces=shop,bar",
                                "--exclude-namespaces",
                                "other",
                                "--namespace-mappings",
                                "shop:shop2,bar:bar2",
                                "--include-resources",
                                "pods",
                                "--exclude-resources",
                                "events",
                                "--include-cluster-resources=false",
                                "--or-selector",
                                "a=b or c=d",
                                "--restore-volumes",
                                "--preserve-nodeports=false",
                                "--existing-resource-policy",
                                "update",
                                "--status-include-resources",
                                "pods",
                                "--status-exclude-resources",
                                "jobs",
                                "--item-operation-timeout",
                                "2h",
                                "--resource-modifier-configmap",
                                "changes",
                                "--write-sparse-files",
                                "--parallel-files-download",
                                "3",
                                "--labels",
                                "x=y",
                                "--annotations",
                                "n=m"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "Restore request \"r1\" submitted successfully.\n"
            "Run `landfall restore describe r1` or `landfall restore logs r1` for more details.\n");
  const Json made = restore("r1");
  EXPECT_EQ(made["metadata"]["labels"], (Json{{"x", "y"}}));
  EXPECT_EQ(made["metadata"]["annotations"], (Json{{"n", "m"}}));
  const Json expected = Json::parse(R"({"backupName": "nightly", "hooks": {}, "itemOperationTimeout": "2h0m0s",
    "includedNamespaces": ["shop", "bar"], "excludedNamespaces": ["other"], "includedResources": ["pods"],
    "excludedResources": ["events"], "includeClusterResources": false, "restorePVs": true, "preserveNodePorts": false,
    "namespaceMapping": {"shop": "shop2", "bar": "bar2"},
    "orLabelSelectors": [{"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}], "existingResourcePolicy": "update",
    "restoreStatus": {"includedResources": ["pods"], "excludedResources": ["jobs"]},
    "resourceModifier": {"apiGroup": "", "kind": "configmap", "name": "changes"},
    "uploaderConfig": {"writeSparseFiles": true, "parallelFilesDownload": 3}})");
  EXPECT_EQ(made["spec"], expected);
}

TEST_F(RestoreCreate, SaysWhichFlagsHaveNoEffectYet) {
  const std::vector<std::string> words = {
      "restore", "create", "r1", "--from-backup", "nightly", "--write-sparse-files", "--parallel-files-download", "3"};
  EXPECT_THAT(cluster_.run(words).err, HasSubstr("--parallel-files-download is stored, but has no effect yet"));
}

TEST_F(RestoreCreate, AsVeleroLetsTheLastMappingOfANamespaceCount) {
  const Ran ran = cluster_.run_as_velero({"restore", "create", "r1", "--from-backup", "nightly", "--namespace-mappings",
                                          "a:x,b:z", "--namespace-mappings", "a:y", "--write-sparse-files"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(restore("r1")["spec"]["namespaceMapping"], (Json{{"a", "y"}, {"b", "z"}}));
}

TEST_F(RestoreCreate, NamesARestoreByItsSourceAndTheTime) {
  EXPECT_EQ(cluster_.run({"restore", "create", "--from-backup", "nightly"}).code, 0);
  const auto all = cluster_.objects(api::kRestore).list({}, {}).value().items;
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0]["metadata"]["name"].get<std::string>(), testing::MatchesRegex("nightly-[0-9]{14}"));
  EXPECT_EQ(all[0]["spec"]["includedNamespaces"], Json::array({"*"}));
}

TEST_F(RestoreCreate, TakesTheNewestBackupOfAScheduleThatHasFailedInPart) {
  EXPECT_EQ(cluster_.run({"restore", "create", "s1", "--from-schedule", "daily"}).code, 0);
  EXPECT_EQ(restore("s1")["spec"]["scheduleName"], "daily");
  EXPECT_EQ(cluster_.run({"restore", "create", "s2", "--from-schedule", "daily", "--allow-partially-failed"}).code, 0);
  EXPECT_EQ(restore("s2")["spec"]["backupName"], "new");
  EXPECT_FALSE(restore("s2")["spec"].contains("scheduleName"));
}

TEST_F(RestoreCreate, SaysWhatIsWrongAndCreatesNothing) {
  for (const auto& [words, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--from-backup", "a", "--from-schedule", "b"}, "cannot both be given"},
           {{}, "Name a backup with --from-backup"},
           {{"--from-backup", "nigthly"},
            "backup \"nigthly\" not found in namespace \"velero\": did you mean \"nightly\"?"},
           {{"--from-schedule", "nope"}, "no backup of a schedule \"nope\""},
           {{"--from-backup", "nightly", "--namespace-mappings", "shop"}, "--namespace-mappings"},
           {{"--from-backup", "nightly", "--namespace-mappings", "shop:Shop_2"}, "Shop_2"},
           {{"--from-backup", "nightly", "--namespace-mappings", "a:x,a:y"}, "\"a\" cannot go to both \"x\" and \"y\""},
           {{"--from-backup", "nightly", "--namespace-mappings", "a:x", "--namespace-mappings", "a:y"},
            "cannot go to both"},
           {{"--from-backup", "nightly", "--include-namespaces", "a", "--exclude-namespaces", "a"}, "the filters"},
           {{"--from-backup", "nightly", "-l", "a=b", "--or-selector", "c=d"}, "--or-selector"},
           {{"--from-backup", "nightly", "-l", "a in"}, "--selector"},
           {{"--from-backup", "nightly", "--existing-resource-policy", "replace"}, "none|update"},
           {{"--from-backup", "nightly", "--parallel-files-download", "-1"}, "--parallel-files-download"},
           {{"one", "two", "--from-backup", "nightly"}, "two names"},
           {{"No_Name", "--from-backup", "nightly"}, "\"No_Name\""}}) {
    std::vector<std::string> line = {"restore", "create"};
    line.insert(line.end(), words.begin(), words.end());
    const Ran ran = cluster_.run(line);
    EXPECT_EQ(ran.code, 1) << part;
    EXPECT_THAT(ran.err, HasSubstr(part));
  }
  EXPECT_EQ(restores(), 0U);
}

TEST_F(RestoreCreate, PrintsTheObjectAndCreatesNothing) {
  const Ran ran = cluster_.run({"restore", "create", "r", "--from-backup", "nightly", "-o", "yaml"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("kind: Restore\n"), HasSubstr("  backupName: nightly\n")));
  EXPECT_EQ(restores(), 0U);
}

void complete(Json& restore, const std::string& phase) {
  restore["status"] = {{"phase", phase},
                       {"errors", phase == "PartiallyFailed" ? 1 : 0},
                       {"progress",
                        {{"totalItems", 3},
                         {"itemsRestored", 3},
                         {"itemsInBackup", 3},
                         {"outcomes", {{"created", 2}, {"unchanged", 1}}}}}};
}

TEST_F(RestoreCreate, WaitsAndSaysHowItEnded) {
  const PlayedServer server(
      cluster_, kOurs,
      {{api::kRestore, [](Json& restore) {
          const std::string name = restore["metadata"]["name"].get<std::string>();
          complete(restore, name == "good" ? "Completed" : name == "bad" ? "PartiallyFailed" : "Failed");
          if (name == "stopped") restore["status"].update({{"failureReason", "canceled"}, {"canceled", true}});
        }}});
  const Ran good = cluster_.run({"restore", "create", "good", "--from-backup", "nightly", "-w"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_THAT(good.out, testing::EndsWith("Restore good completed: 3 items (2 created, 1 unchanged)\n"));
  const Ran bad = cluster_.run({"restore", "create", "bad", "--from-backup", "nightly", "-w"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("Restore bad completed with errors (PartiallyFailed): 3 items (2 created, 1 "
                                 "unchanged), 1 error\n"));
  EXPECT_THAT(bad.err, HasSubstr("landfall restore logs bad"));
  const Ran stopped = cluster_.run({"restore", "create", "stopped", "--from-backup", "nightly", "-w"});
  EXPECT_EQ(stopped.code, 1);
  EXPECT_THAT(stopped.out, HasSubstr("Restore stopped was canceled"));
  const Ran velero = cluster_.run_as_velero({"restore", "create", "bad2", "--from-backup", "nightly", "-w"});
  EXPECT_EQ(velero.code, 0) << velero.err;
  EXPECT_THAT(velero.out, AllOf(HasSubstr("Waiting for restore to complete. You may safely press ctrl-c"),
                                HasSubstr("\nRestore completed with status: Failed. You may check for more")));
}

TEST_F(RestoreCreate, StopsWaitingOnCtrlCAndSaysThatTheRestoreGoesOn) {
  std::stop_source stop;
  // Who asks for the log has its answer to the creation, and waits.
  const PlayedServer server(cluster_, kOurs,
                            {{api::kRestore, [&](Json& restore) { restore["status"] = {{"phase", "InProgress"}}; }},
                             {api::kDownloadRequest, [&](Json& /*request*/) { stop.request_stop(); }}});
  const Ran ran = cluster_.run({"restore", "create", "r", "--from-backup", "nightly", "-w"},
                               {.terminal = {.is_terminal = true, .columns = 200}, .stop = stop.get_token()});
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(ran.err, HasSubstr("stopped waiting; restore r goes on"));
}

std::string plan_of(const std::string& restore) {
  restore::Plan plan{
      .restore = restore, .restore_uid = "u", .backup = "nightly", .is_preview = true, .items_in_backup = 1};
  plan.resources.push_back({.resource = {"", "pods"},
                            .version = "v1",
                            .kind = "Pod",
                            .is_namespaced = true,
                            .groups = {{"shop", "shop", {"web"}, {{restore::Prediction::kCreate, ""}}}}});
  io::StringWriter text;
  EXPECT_TRUE(restore::write_plan(plan, text));
  return text.take();
}

TEST_F(RestoreCreate, PreviewsWithoutRestoring) {
  PlayedServer server(cluster_, kOurs, {{api::kRestore, [](Json& restore) {
                                           EXPECT_EQ(restore["spec"]["preview"], true);
                                           restore["status"] = {{"phase", "Completed"}};
                                         }}});
  server.serve("RestorePlan", plan_of("p"));
  const Ran ran = cluster_.run({"restore", "create", "p", "--from-backup", "nightly", "--preview"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Preview of backup nightly: 1 item to restore"), HasSubstr("pods")));
  EXPECT_THAT(ran.err, HasSubstr("Nothing was restored"));
}

TEST_F(RestoreCreate, RefusesAPreviewWhereTheServerIsVelero) {
  const PlayedServer server(cluster_, "v1.18.3");
  const Ran ran = cluster_.run({"restore", "create", "p", "--from-backup", "nightly", "--preview"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("the server is not Landfall but version \"v1.18.3\""));
  EXPECT_EQ(restores(), 0U);
}

TEST_F(RestoreCreate, RefusesAPreviewWhereTheDefinitionsDoNotKnowIt) {
  const kube::Resource definitions(cluster_.client(), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  Json definition = definitions.get("restores.velero.io", {}).value();
  json::erase_at(definition,
                 {"spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec", "properties", "preview"});
  ASSERT_TRUE(definitions.update(definition, {}));
  const PlayedServer server(cluster_, kOurs);
  // Until the change is in force.
  TestCluster::await([&] {
    const Json probe = {{"apiVersion", "velero.io/v1"},
                        {"kind", "Restore"},
                        {"metadata", {{"name", "probe"}}},
                        {"spec", {{"preview", true}}}};
    const auto tried = cluster_.objects(api::kRestore).create(probe, {}, {.dry_run = true});
    return tried && !tried->at("spec").contains("preview");
  });
  const Ran ran = cluster_.run({"restore", "create", "p", "--from-backup", "nightly", "--preview"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("do not know spec.preview"), HasSubstr("landfall install --crds-only")));
  EXPECT_EQ(restores(), 0U);
}

}  // namespace
}  // namespace landfall::cli
