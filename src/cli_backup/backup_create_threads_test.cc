#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_cluster.h"
#include "cli_backup/commands.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class BackupCreate : public testing::Test {
 protected:
  Json backup(const std::string& name) const { return cluster_.objects(api::kBackup).get(name, {}).value(); }
  std::size_t backups() const { return cluster_.objects(api::kBackup).list({}, {}).value().items.size(); }
  void make_schedule(Json spec, const Json& annotations = Json::object()) {
    cluster_.create(api::kSchedule,
                    {{"metadata", {{"name", "daily"}, {"labels", {{"team", "shop"}}}, {"annotations", annotations}}},
                     {"spec", std::move(spec)}});
  }

  TestCluster cluster_{add_backup_command};
};

TEST_F(BackupCreate, SendsNothingButVelerosEmptyFieldsForNoFlags) {
  const Ran ran = cluster_.run({"backup", "create", "b1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "Backup request \"b1\" submitted successfully.\n"
            "Run `landfall backup describe b1` or `landfall backup logs b1` for more details.\n");
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_EQ(backup("b1")["spec"], Json({{"metadata", Json::object()},
                                        {"hooks", Json::object()},
                                        {"includedNamespaces", {"*"}},
                                        {"ttl", "0s"},
                                        {"csiSnapshotTimeout", "0s"},
                                        {"itemOperationTimeout", "0s"}}));
}

TEST_F(BackupCreate, SendsWhatTheFlagsOfVeleroSay) {
  cluster_.create(api::kBackupStorageLocation, {{"metadata", {{"name", "far"}}},
                                                {"spec", {{"provider", "aws"}, {"objectStorage", {{"bucket", "b"}}}}}});
  for (const std::string name : {"v1", "v2"}) {
    cluster_.create(api::kVolumeSnapshotLocation, {{"metadata", {{"name", name}}}, {"spec", {{"provider", "aws"}}}});
  }
  const Ran ran = cluster_.run({"backup",
                                "create",
                                "b1",
                                "--include-namespaces=shop,b*",
                                "--exclude-namespaces",
                                "bar",
                                "--include-resources",
                                "pods,deployments.apps",
                                "--exclude-resources",
                                "events",
                                "--include-cluster-resources=false",
                                "-l",
                                "app=x,tier in (a,b)",
                                "--ordered-resources",
                                "pods=shop/db, shop/web;persistentvolumes=pv1",
                                "--ttl",
                                "48h",
                                "--storage-location",
                                "far",
                                "--volume-snapshot-locations",
                                "v1",
                                "--volume-snapshot-locations",
                                "v2",
                                "--snapshot-volumes=false",
                                "--snapshot-move-data",
                                "--default-volumes-to-fs-backup=true",
                                "--data-mover",
                                "mine",
                                "--csi-snapshot-timeout",
                                "5m",
                                "--item-operation-timeout",
                                "1h",
                                "--resource-policies-configmap",
                                "rules",
                                "--parallel-files-upload",
                                "3",
                                "--labels",
                                "a=b",
                                "--annotations",
                                "\"c=d,e\""});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err,
            "Note: --snapshot-move-data, --data-mover, "
            "--csi-snapshot-timeout, --parallel-files-upload are stored, but have no effect yet.\n");
  const Json made = backup("b1");
  EXPECT_EQ(made["metadata"]["labels"], Json({{"a", "b"}}));
  EXPECT_EQ(made["metadata"]["annotations"], Json({{"c", "d,e"}}));
  EXPECT_EQ(
      made["spec"],
      Json({{"metadata", Json::object()},
            {"hooks", Json::object()},
            {"includedNamespaces", {"shop", "b*"}},
            {"excludedNamespaces", Json::array({"bar"})},
            {"includedResources", {"pods", "deployments.apps"}},
            {"excludedResources", Json::array({"events"})},
            {"includeClusterResources", false},
            {"labelSelector",
             {{"matchLabels", {{"app", "x"}}},
              {"matchExpressions", Json::array({{{"key", "tier"}, {"operator", "In"}, {"values", {"a", "b"}}}})}}},
            {"orderedResources", {{"pods", "shop/db, shop/web"}, {"persistentvolumes", "pv1"}}},
            {"ttl", "48h0m0s"},
            {"storageLocation", "far"},
            {"volumeSnapshotLocations", {"v1", "v2"}},
            {"snapshotVolumes", false},
            {"snapshotMoveData", true},
            {"defaultVolumesToFsBackup", true},
            {"datamover", "mine"},
            {"csiSnapshotTimeout", "5m0s"},
            {"itemOperationTimeout", "1h0m0s"},
            {"resourcePolicy", {{"kind", "configmap"}, {"name", "rules"}}},
            {"uploaderConfig", {{"parallelFilesUpload", 3}}}}));
}

TEST_F(BackupCreate, SendsTheFiltersOfOneScope) {
  const Ran ran = cluster_.run_as_velero(
      {"backup", "create", "b1", "--include-cluster-scoped-resources", "nodes", "--exclude-cluster-scoped-resources",
       "storageclasses", "--include-namespace-scoped-resources", "pods", "--exclude-namespace-scoped-resources",
       "events", "--or-selector", "a=b or c", "--snapshot-move-data"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());
  const Json spec = backup("b1")["spec"];
  EXPECT_EQ(spec["includedClusterScopedResources"], Json::array({"nodes"}));
  EXPECT_EQ(spec["excludedClusterScopedResources"], Json::array({"storageclasses"}));
  EXPECT_EQ(spec["includedNamespaceScopedResources"], Json::array({"pods"}));
  EXPECT_EQ(spec["excludedNamespaceScopedResources"], Json::array({"events"}));
  EXPECT_EQ(spec["orLabelSelectors"].size(), 2U);
}

TEST_F(BackupCreate, PrintsTheBackupAndSendsNothing) {
  const Ran as_json = cluster_.run({"backup", "create", "b1", "-o", "json", "--labels", "a=b"});
  EXPECT_EQ(as_json.code, 0) << as_json.err;
  const Json printed = Json::parse(as_json.out);
  EXPECT_EQ(printed["metadata"], Json({{"name", "b1"}, {"namespace", "velero"}, {"labels", {{"a", "b"}}}}));
  EXPECT_EQ(printed["status"], Json::object());
  EXPECT_THAT(cluster_.run({"backup", "create", "b1", "-o", "yaml"}).out, HasSubstr("\n  csiSnapshotTimeout: 0s\n"));
  // As velero 1.18.3 prints it.
  EXPECT_EQ(
      cluster_
          .run_as_velero({"backup", "create", "b1", "-o", "table", "--labels", "a=b", "--show-labels", "-L", "a,x/y"})
          .out,
      "NAME   STATUS   ERRORS   WARNINGS   CREATED   EXPIRES   STORAGE LOCATION   QUEUE POSITION   SELECTOR   A     "
      "Y     LABELS\n"
      "b1     New      0        0          <nil>     n/a                                           <none>     b     "
      "      a=b\n");
  EXPECT_EQ(backups(), 0U);
}

TEST_F(BackupCreate, RefusesWhatCannotBeMeantAndSendsNothing) {
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"backup", "create"});
    const Ran ran = cluster_.run(words);
    EXPECT_EQ(ran.code, 1) << ran.out;
    return ran.err;
  };
  EXPECT_THAT(refused({}), HasSubstr("what is the backup to be called?"));
  EXPECT_THAT(refused({"a", "b"}), HasSubstr("\"a\" and \"b\" are two names"));
  EXPECT_THAT(refused({"Bad_Name"}), HasSubstr("\"Bad_Name\" can be no name of a backup"));
  EXPECT_THAT(refused({"a", "--include-resources", "pods", "--include-cluster-scoped-resources", "nodes"}),
              HasSubstr("cannot be used together"));
  EXPECT_THAT(refused({"a", "--exclude-namespaces", "*"}), HasSubstr("the filters cannot be used"));
  EXPECT_THAT(refused({"a", "--include-resources", "pods", "--exclude-resources", "pods"}), HasSubstr("pods"));
  EXPECT_THAT(refused({"a", "-l", "x=y", "--or-selector", "a=b"}), HasSubstr("cannot both be given"));
  EXPECT_THAT(refused({"a", "--ordered-resources", "pods=a/b;x"}), HasSubstr("--ordered-resources"));
  EXPECT_THAT(refused({"a", "--ttl", "-1h"}), HasSubstr("--ttl cannot be negative"));
  EXPECT_THAT(refused({"a", "--storage-location", "nowhere"}), HasSubstr("\"nowhere\" not found"));
  EXPECT_THAT(refused({"a", "--volume-snapshot-locations", "v"}), HasSubstr("\"v\" not found"));
  EXPECT_THAT(refused({"a", "--from-schedule", "never"}), HasSubstr("schedule \"never\" not found"));
  EXPECT_THAT(refused({"a", "--from-schedule", ""}), HasSubstr("--from-schedule needs the name of a schedule"));
  EXPECT_EQ(backups(), 0U);
}

TEST_F(BackupCreate, LeavesToTheServerWhatVelerosDoes) {
  const Ran ran = cluster_.run_as_velero(
      {"backup", "create", "a", "--include-resources", "pods", "--exclude-resources", "pods", "--ttl=-1h"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(backup("a")["spec"]["ttl"], "-1h0m0s");
}

TEST_F(BackupCreate, SaysThatANameIsTaken) {
  EXPECT_EQ(cluster_.run({"backup", "create", "b1"}).code, 0);
  const Ran again = cluster_.run({"backup", "create", "b1"});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("backup \"b1\" already exists in namespace \"velero\""));
}

TEST_F(BackupCreate, TakesEverythingFromASchedule) {
  make_schedule({{"schedule", "@daily"},
                 {"template", {{"includedNamespaces", Json::array({"shop"})}, {"ttl", "5h0m0s"}}},
                 {"useOwnerReferencesInBackup", true}},
                {{"why", "nightly"}, {"kubectl.kubernetes.io/last-applied-configuration", "{}"}});
  const Ran ran = cluster_.run({"backup", "create", "b1", "--from-schedule", "daily", "--labels", "x=y"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json made = backup("b1");
  EXPECT_EQ(made["metadata"]["labels"], Json({{"team", "shop"}, {"velero.io/schedule-name", "daily"}, {"x", "y"}}));
  EXPECT_EQ(made["metadata"]["annotations"], Json({{"why", "nightly"}}));
  EXPECT_EQ(made["metadata"]["ownerReferences"][0]["name"], "daily");
  EXPECT_EQ(made["metadata"]["ownerReferences"][0]["controller"], true);
  EXPECT_EQ(made["spec"]["includedNamespaces"], Json::array({"shop"}));
  EXPECT_EQ(made["spec"]["ttl"], "5h0m0s");
  EXPECT_EQ(made["spec"]["csiSnapshotTimeout"], "0s");
}

TEST_F(BackupCreate, NamesABackupOfAScheduleByTheTime) {
  make_schedule({{"schedule", "@daily"}, {"template", {{"metadata", {{"labels", {{"own", "label"}}}}}}}});
  const Ran ran = cluster_.run_as_velero({"backup", "create", "--from-schedule", "daily", "--include-namespaces", "x"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(
      ran.out,
      testing::MatchesRegex(
          "Creating backup from schedule, all other filters are ignored.\n"
          "Backup request \"daily-20[0-9]{12}\" submitted successfully.\n"
          "Run `velero backup describe daily-[0-9]+` or `velero backup logs daily-[0-9]+` for more details.\n"));
  const Json made = cluster_.objects(api::kBackup).list({}, {}).value().items.front();
  EXPECT_EQ(made["metadata"]["labels"], Json({{"own", "label"}, {"velero.io/schedule-name", "daily"}}));
  EXPECT_FALSE(made["spec"].contains("includedNamespaces"));
}

TEST_F(BackupCreate, RefusesFlagsThatAScheduleWouldOverrule) {
  make_schedule({{"schedule", "@daily"}, {"template", Json::object()}});
  const Ran ran = cluster_.run({"backup", "create", "--from-schedule", "daily", "--include-namespaces", "x"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("--from-schedule takes from the schedule what is backed up"));
  EXPECT_EQ(backups(), 0U);
}

TEST_F(BackupCreate, WaitsForTheEndAndTellsItByItsExitCode) {
  const PlayedServer server(cluster_, "v1.18.3+landfall.0", {{api::kBackup, [](Json& backup) {
                                                                backup["status"]["phase"] = "PartiallyFailed";
                                                                backup["status"]["errors"] = 1;
                                                              }}});
  const Ran ran = cluster_.run({"backup", "create", "b1", "--wait"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out + ran.err,
              AllOf(HasSubstr("Backup request \"b1\" submitted successfully.\n"), HasSubstr("1 error")));
  const Ran as_velero = cluster_.run_as_velero({"backup", "create", "b2", "-w"});
  EXPECT_EQ(as_velero.code, 0) << as_velero.err;
  EXPECT_THAT(as_velero.out,
              EndsWith("Backup completed with status: PartiallyFailed. You may check for more information "
                       "using the commands `velero backup describe b2` and `velero backup logs b2`.\n"));
}

TEST_F(BackupCreate, SaysWhatIsMissingWhereNothingIsInstalled) {
  const TestCluster bare(add_backup_command, false);
  EXPECT_THAT(bare.run({"backup", "create", "b1"}).err, HasSubstr("run 'landfall install' first"));
  EXPECT_THAT(cluster_.run({"backup", "create", "b1", "-n", "elsewhere"}).err,
              AllOf(HasSubstr("namespace \"elsewhere\" not found"), Not(HasSubstr("velero.io"))));
}

}  // namespace
}  // namespace landfall::cli
