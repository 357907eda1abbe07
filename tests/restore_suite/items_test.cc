#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/access.h"
#include "json/parse.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using json::Json;
using ::testing::HasSubstr;

const Json kNone = Json::object();

class Items : public ::testing::Test {
 protected:
  Outcome restore(const std::vector<Json>& objects, Script script = {}) {
    Outcome outcome = restore_all(cluster_.client(), archive_of(items_of(objects)), script);
    EXPECT_EQ(outcome.last.items.done, outcome.last.items.total);
    return outcome;
  }
  // The same, of one where nothing must go wrong.
  Outcome restore_well(const std::vector<Json>& objects, const Script& script = {}) {
    Outcome outcome = restore(objects, script);
    EXPECT_EQ(outcome.results.at("errors"), kNone);
    EXPECT_EQ(outcome.results.at("warnings"), kNone);
    return outcome;
  }
  Json get(const std::string& resource, const std::string& name_space, const std::string& name) {
    return cluster_.get(resource, name_space, name);
  }

  TestCluster cluster_;
};

TEST_F(Items, LoseWhatBelongedToTheOldClusterAndKeepTheRest) {
  Json stored = with_annotation(with_label(config_map("shop", "a"), "app", "web"), "note", "kept");
  stored["metadata"].update(
      {{"uid", "11111111-1111-4111-8111-111111111111"},
       {"resourceVersion", "77"},
       {"generation", 9},
       {"creationTimestamp", "2019-01-01T00:00:00Z"},
       {"deletionTimestamp", "2019-01-02T00:00:00Z"},
       {"deletionGracePeriodSeconds", 30},
       {"generateName", "a-"},
       {"finalizers", Json::array({"example.com/kept"})},
       {"ownerReferences",
        Json::array({{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "owner"}, {"uid", "u"}}})}});
  restore_well({stored}, {.backup = {{"metadata", {{"name", std::string(70, 'b')}}}}});
  const Json metadata = get("configmaps", "shop", "a").at("metadata");
  EXPECT_NE(metadata.at("uid"), stored["metadata"]["uid"]);
  EXPECT_NE(metadata.at("creationTimestamp"), "2019-01-01T00:00:00Z");
  for (const std::string field : {"ownerReferences", "generateName", "deletionTimestamp"}) {
    EXPECT_FALSE(metadata.contains(field)) << field;
  }
  EXPECT_EQ(metadata.at("finalizers"), Json::array({"example.com/kept"}));
  EXPECT_EQ(metadata.at("annotations"), Json({{"note", "kept"}}));
  EXPECT_EQ(metadata.at("labels").at("app"), "web");
  EXPECT_EQ(metadata.at("labels").at("velero.io/restore-name"), "restore");
  // A name that is too long for a label is cut and marked.
  EXPECT_EQ(metadata.at("labels").at("velero.io/backup-name").get<std::string>().size(), 63U);
}

TEST_F(Items, NamespacesComeWithTheirLabelsAndAnnotationsUnderTheirNewNames) {
  const Json stored = with_annotation(namespace_of("shop", {{"team", "books"}}), "note", "n");
  const Outcome outcome = restore_well({stored, config_map("shop", "a"), config_map("bare", "b")},
                                       {.restore_spec = {{"namespaceMapping", {{"shop", "copy"}}}}});
  const Json made = get("namespaces", "", "copy");
  EXPECT_EQ(made.at("metadata").at("labels").at("team"), "books");
  EXPECT_EQ(made.at("metadata").at("annotations").at("note"), "n");
  EXPECT_FALSE(json::has(made, {"metadata", "labels", "velero.io/restore-name"}));
  EXPECT_FALSE(cluster_.find("namespaces", "", "shop"));
  EXPECT_TRUE(cluster_.find("namespaces", "", "bare"));
  EXPECT_EQ(outcome.resource_list.at("v1/Namespace"), Json::array({"bare(created)", "copy(created)"}));
  EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap"), Json::array({"bare/b(created)", "copy/a(created)"}));
  EXPECT_EQ(outcome.last.items.total, 4);
}

TEST_F(Items, ANamespaceThatIsThereIsNeitherChangedNorCounted) {
  cluster_.make_namespace("shop");
  const auto before = cluster_.versions().at("namespaces//shop");
  const Outcome outcome = restore_well({namespace_of("shop", {{"team", "books"}}), config_map("shop", "a")});
  EXPECT_EQ(cluster_.versions().at("namespaces//shop"), before);
  EXPECT_EQ(outcome.last.items.total, 1);
  EXPECT_EQ(outcome.last.items.not_selected_by_reason.at("NamespaceExists"), 1);
}

TEST_F(Items, AVolumeThatIsKeptIsTiedToItsClaimAgain) {
  restore_well({volume("disk", "shop", "data"), claim("shop", "data", "disk")},
               {.restore_spec = {{"namespaceMapping", {{"shop", "copy"}}}}});
  const Json disk = get("persistentvolumes", "", "disk");
  EXPECT_EQ(disk.at("spec").at("claimRef").at("namespace"), "copy");
  EXPECT_FALSE(json::has(disk, {"spec", "claimRef", "uid"}));
  EXPECT_FALSE(json::has(disk, {"metadata", "annotations", "pv.kubernetes.io/bound-by-controller"}));
  const Json data = get("persistentvolumeclaims", "copy", "data");
  EXPECT_EQ(data.at("spec").at("volumeName"), "disk");
  EXPECT_FALSE(json::has(data, {"metadata", "annotations", "pv.kubernetes.io/bind-completed"}));
}

TEST_F(Items, AVolumeThatIsMadeAnewIsLeftOutAndItsClaimDoesNotNameIt) {
  const Json infos = Json::array({{{"pvName", "filled"}, {"backupMethod", "PodVolumeBackup"}},
                                  {{"pvName", "csi"}, {"backupMethod", "CSISnapshot"}},
                                  {{"pvName", "skipped"}, {"backupMethod", ""}}});
  const Outcome outcome =
      restore_well({volume("filled", "shop", "one"), claim("shop", "one", "filled"), volume("csi", "shop", "two"),
                    claim("shop", "two", "csi"), volume("skipped", "shop", "three", "Delete"),
                    claim("shop", "three", "skipped"), volume("kept", "shop", "four"), claim("shop", "four", "kept")},
                   {.volume_infos = infos});
  for (const std::string name : {"filled", "csi", "skipped"}) {
    EXPECT_FALSE(cluster_.find("persistentvolumes", "", name)) << name;
  }
  EXPECT_TRUE(cluster_.find("persistentvolumes", "", "kept"));
  for (const std::string name : {"one", "two", "three"}) {
    EXPECT_FALSE(json::has(get("persistentvolumeclaims", "shop", name), {"spec", "volumeName"})) << name;
  }
  EXPECT_EQ(get("persistentvolumeclaims", "shop", "four").at("spec").at("volumeName"), "kept");
  EXPECT_EQ(outcome.last.items.outcomes.skipped, 3);
  EXPECT_EQ(outcome.resource_list.at("v1/PersistentVolume"),
            Json::array({"csi(skipped)", "filled(skipped)", "kept(created)", "skipped(skipped)"}));
}

TEST_F(Items, AVolumeWithASnapshotThatNobodyCanUseIsAnError) {
  const Json infos = Json::array({{{"pvName", "disk"}, {"backupMethod", "NativeSnapshot"}}});
  const std::vector<Json> objects = {volume("disk", "shop", "data"), claim("shop", "data", "disk")};
  const Outcome refused = restore(objects, {.volume_infos = infos});
  EXPECT_THAT(json::dump(refused.results.at("errors")), HasSubstr("restorePVs: false"));
  EXPECT_FALSE(cluster_.find("persistentvolumes", "", "disk"));

  restore_all(cluster_.client(), archive_of(items_of(objects)),
              {.restore_spec = {{"restorePVs", false}}, .restore_name = "second", .volume_infos = infos});
  EXPECT_TRUE(cluster_.find("persistentvolumes", "", "disk"));
}

class Snapshots final : public restore::SnapshotRestorer {
 public:
  Status restore(Json& volume, const std::stop_token& /*stop*/) override {
    volume["spec"]["hostPath"]["path"] = "/from/snapshot";
    return {};
  }
};

TEST_F(Items, AVolumeOfASnapshotGetsANewNameWhereTheOldOneIsTaken) {
  cluster_.make(volume("disk", "shop", "data"));
  const auto before = cluster_.versions().at("persistentvolumes//disk");
  const Json infos = Json::array({{{"pvName", "disk"}, {"backupMethod", "NativeSnapshot"}}});
  Snapshots snapshots;
  Script script{.restore_spec = {{"namespaceMapping", {{"shop", "copy"}}}}, .volume_infos = infos};
  script.with_tools = [&](restore::RestoreTools& tools) { tools.snapshots = &snapshots; };
  restore_well({volume("disk", "shop", "data"), claim("shop", "data", "disk")}, script);

  EXPECT_EQ(cluster_.versions().at("persistentvolumes//disk"), before);
  const std::string name = get("persistentvolumeclaims", "copy", "data").at("spec").at("volumeName");
  EXPECT_TRUE(name.starts_with("velero-clone-")) << name;
  const Json made = get("persistentvolumes", "", name);
  EXPECT_EQ(made.at("spec").at("hostPath").at("path"), "/from/snapshot");
  EXPECT_EQ(made.at("spec").at("claimRef").at("namespace"), "copy");
  EXPECT_EQ(made.at("metadata").at("annotations").at("velero.io/original-pv-name"), "disk");
}

TEST_F(Items, AreRestoredStageByStage) {
  std::vector<Json> objects = {service("shop", "web"),
                               pod("shop", "web"),
                               config_map("shop", "a"),
                               object_of("v1", "ServiceAccount", "shop", "clerk"),
                               object_of("v1", "Secret", "shop", "s"),
                               volume("disk", "shop", "data"),
                               claim("shop", "data", "disk")};
  Json deployment = object_of("apps/v1", "Deployment", "shop", "web");
  deployment["spec"] = {{"selector", {{"matchLabels", {{"app", "web"}}}}},
                        {"template",
                         {{"metadata", {{"labels", {{"app", "web"}}}}},
                          {"spec", {{"containers", Json::array({{{"name", "c"}, {"image", "i"}}})}}}}}};
  objects.push_back(deployment);
  restore_well(objects);
  // resourceVersions of a sandbox count up: they say what was made first.
  auto versions = cluster_.versions();
  std::int64_t before = 0;
  for (const std::string key :
       {"namespaces//shop", "persistentvolumes//disk", "persistentvolumeclaims/shop/data", "serviceaccounts/shop/clerk",
        "secrets/shop/s", "configmaps/shop/a", "pods/shop/web", "services/shop/web", "deployments.apps/shop/web"}) {
    const std::int64_t version = std::stoll(versions.at(key));
    EXPECT_GT(version, before) << key;
    before = version;
  }
}

TEST_F(Items, ACustomResourceComesAfterItsDefinition) {
  Json book = object_of("library.example.com/v1", "Book", "shop", "typee");
  book["spec"]["title"] = "Typee";
  const Outcome outcome = restore_well({book, definition("books", "Book")});
  EXPECT_EQ(get("books.library.example.com", "shop", "typee").at("spec").at("title"), "Typee");
  EXPECT_EQ(outcome.last.items.outcomes.created, 3);
}

TEST_F(Items, FinishedAndMirroredOnesAreNotSelected) {
  Json done = pod("shop", "done");
  done["status"]["phase"] = "Succeeded";
  Json failed = pod("shop", "failed");
  failed["status"]["phase"] = "Failed";
  const Json mirror = with_annotation(pod("shop", "mirror"), "kubernetes.io/config.mirror", "x");
  Json job = object_of("batch/v1", "Job", "shop", "job");
  job["status"]["completionTime"] = "2025-01-01T00:00:00Z";
  const Outcome outcome = restore_well({done, failed, mirror, job, config_map("shop", "a")});
  EXPECT_EQ(outcome.last.items.total, 2);
  EXPECT_EQ(outcome.last.items.not_selected_by_reason,
            (std::map<std::string, std::int64_t>{{"Completed", 3}, {"MirrorPod", 1}}));
}

TEST_F(Items, AStatusComesBackOnlyWhereItIsAskedFor) {
  const auto stored = [](const std::string& name) {
    Json object = pod("shop", name);
    object["status"] = {{"message", "from the backup"}};
    return object;
  };
  const auto annotated = with_annotation(stored("yes"), "velero.io/restore-status", "true");
  restore_well({stored("plain"), annotated});
  EXPECT_EQ(json::string_or(get("pods", "shop", "plain"), {"status", "message"}, ""), "");
  EXPECT_EQ(json::string_or(get("pods", "shop", "yes"), {"status", "message"}, ""), "from the backup");

  const auto refused = with_annotation(stored("no"), "velero.io/restore-status", "false");
  restore_well(
      {stored("asked"), refused},
      {.restore_spec = {{"restoreStatus", {{"includedResources", Json::array({"pods"})}}}}, .restore_name = "second"});
  EXPECT_EQ(json::string_or(get("pods", "shop", "asked"), {"status", "message"}, ""), "from the backup");
  EXPECT_EQ(json::string_or(get("pods", "shop", "no"), {"status", "message"}, ""), "");
}

}  // namespace
}  // namespace landfall::restore_suite
