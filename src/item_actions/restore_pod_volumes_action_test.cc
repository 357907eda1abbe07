#include "item_actions/restore_pod_volumes_action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item_actions/test_restore_input.h"

namespace landfall::item_actions {
namespace {

using json::Json;
using testing::HasSubstr;

constexpr const char* kConfigMaps = "/api/v1/namespaces/velero/configmaps";
constexpr const char* kServer = "/apis/apps/v1/namespaces/velero/deployments/velero";

Json volume_backup(const std::string& pod, const std::string& volume, const std::string& snapshot) {
  return {{"metadata", {{"name", "nightly-" + volume}}},
          {"spec", {{"pod", {{"namespace", "shop"}, {"name", pod}}}, {"volume", volume}}},
          {"status", {{"snapshotID", snapshot}}}};
}

// As it is to be restored, in another namespace.
Json pod(const std::string& more = "{}") {
  Json pod = yaml(R"(
metadata: {name: db-0, namespace: copy}
spec:
  initContainers: [{name: restic-wait}, {name: prepare}, {name: restore-wait, image: old}]
  containers: [{name: db}]
  volumes: [{name: data}, {name: log}, {name: info, downwardAPI: {}}, {name: token, projected: {}}]
)");
  pod["spec"].update(yaml(more));
  return pod;
}

class PodVolumesAction : public testing::Test {
 protected:
  PodVolumesAction() {
    objects_[kServer] = yaml("{spec: {template: {spec: {containers: [{image: 'host:5000/landfall:v1'}]}}}}");
    configure(Json::object());
  }
  void configure(const Json& data) {
    Json config = {{"metadata", {{"name", "settings"}}}, {"data", data}};
    config["metadata"]["labels"] = {{"velero.io/plugin-config", ""},
                                    {"velero.io/pod-volume-restore", "RestoreItemAction"}};
    objects_[kConfigMaps] = TestCluster::list(Json::array({config}));
  }
  Json containers(const Json& item, const std::string& name = "db-0", bool fills_volumes = true) {
    const TestCluster cluster(objects_);
    const auto action = make_restore_pod_volumes_action(
        {.client = *cluster.client, .name_space = "velero", .volumes = fills_volumes ? &volumes_ : nullptr},
        std::make_shared<PluginConfigs>(*cluster.client, "velero"));
    Json original = item;
    original["metadata"] = {{"namespace", "shop"}, {"name", name}};
    const Json changed = changed_by(*action, item, original);
    return changed["spec"].value("initContainers", Json());
  }
  Json waiting(const Json& item) { return containers(item)[0]; }

  const std::vector<Json> volumes_ = {volume_backup("db-0", "log", "s2"),  volume_backup("db-0", "data", "s1"),
                                      volume_backup("db-0", "info", "s3"), volume_backup("db-0", "token", "s4"),
                                      volume_backup("db-0", "gone", "s5"), volume_backup("web", "data", "s6"),
                                      volume_backup("empty", "data", "")};
  std::map<std::string, Json> objects_;
};

TEST_F(PodVolumesAction, APodWaitsFirstForItsVolumesThatThereIsDataOf) {
  const Json found = containers(pod());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], yaml(R"(
name: restore-wait
image: host:5000/landfall:v1
command: [/velero-restore-helper]
args: [r-1]
env:
- {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
- {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
volumeMounts: [{name: data, mountPath: /restores/data}, {name: log, mountPath: /restores/log}]
resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {cpu: 100m, memory: 128Mi}}
securityContext:
  allowPrivilegeEscalation: false
  capabilities: {drop: [ALL]}
  seccompProfile: {type: RuntimeDefault}
  runAsNonRoot: true
  runAsUser: 1000
)"));
  EXPECT_EQ(found[1], yaml("{name: prepare}"));
}

TEST_F(PodVolumesAction, NobodyWaitsWithoutDataOrWithoutAnybodyWhoBringsIt) {
  const Json without = yaml("[{name: prepare}]");
  EXPECT_EQ(containers(pod(), "other"), without);
  EXPECT_EQ(containers(pod(), "empty"), without);
  EXPECT_EQ(containers(pod(), "db-0", false), without);
  EXPECT_EQ(containers(pod("{initContainers: [{name: restore-wait}]}"), "other"), Json());
  EXPECT_EQ(containers(pod("{initContainers: [{name: restore-wait-not}]}"), "other"),
            yaml("[{name: restore-wait-not}]"));
}

TEST_F(PodVolumesAction, TheConfigMapSetsItUp) {
  configure({{"image", "registry.example.com/helper"},
             {"command", "/helper"},
             {"cpuRequest", "50m"},
             {"memLimit", "1Gi"},
             {"secCtxRunAsUser", "7"},
             {"secCtxRunAsGroup", "8"},
             {"secCtxAllowPrivilegeEscalation", "FALSE"},
             {"secCtx", "runAsUser: 9\nprivileged: false\n"}});
  const Json found = waiting(pod());
  EXPECT_EQ(found["image"], "registry.example.com/helper:v1") << "the tag of the server";
  EXPECT_EQ(found["command"], yaml("[/helper]"));
  EXPECT_EQ(found["resources"], yaml("{requests: {cpu: 50m, memory: 128Mi}, limits: {cpu: 100m, memory: 1Gi}}"));
  EXPECT_EQ(found["securityContext"],
            yaml("{runAsUser: 9, runAsGroup: 8, allowPrivilegeEscalation: false, privileged: false}"));
}

TEST_F(PodVolumesAction, WhatIsWrongInTheConfigMapLeavesTheDefaults) {
  configure({{"image", "helper:2"}, {"cpuRequest", "lots"}, {"memLimit", "1Gi"}, {"secCtxRunAsUser", "root"}});
  Json found = waiting(pod());
  EXPECT_EQ(found["image"], "host:5000/landfall:v1") << "there is no registry in the name";
  EXPECT_EQ(found["resources"], yaml("{requests: {cpu: 100m, memory: 128Mi}, limits: {cpu: 100m, memory: 128Mi}}"));
  EXPECT_EQ(found["securityContext"]["runAsUser"], 1000);
  configure({{"cpuRequest", "2"}, {"secCtx", "- a list"}, {"secCtxAllowPrivilegeEscalation", "maybe"}});
  found = waiting(pod());
  EXPECT_EQ(found["resources"]["requests"]["cpu"], "100m") << "more than the limit";
  EXPECT_EQ(found["securityContext"]["runAsUser"], 1000);
}

TEST_F(PodVolumesAction, ImagesKeepTheirTagOrDigest) {
  for (const char* const image : {"r.example.com:5000/helper:2", "r.example.com/helper@sha256:abc"}) {
    configure({{"image", image}});
    EXPECT_EQ(waiting(pod())["image"], image);
  }
  objects_[kServer] = yaml("{spec: {template: {spec: {containers: [{image: 'host:5000/landfall'}]}}}}");
  configure({{"image", "r.example.com/helper"}});
  EXPECT_EQ(waiting(pod())["image"], "r.example.com/helper:latest") << "5000 is no tag";
  objects_.erase(kServer);
  configure(Json::object());
  EXPECT_EQ(waiting(pod())["image"], "velero/velero:latest");
}

TEST_F(PodVolumesAction, ItMayDoWhatThePodMay) {
  EXPECT_EQ(waiting(pod("{containers: [{name: db, securityContext: {runAsUser: 5}}]}"))["securityContext"],
            yaml("{runAsUser: 5}"));
  const Json by_pod = waiting(pod("{securityContext: {runAsUser: 6, runAsGroup: 7, fsGroup: 8}}"))["securityContext"];
  EXPECT_EQ(by_pod["runAsUser"], 6);
  EXPECT_EQ(by_pod["runAsGroup"], 7);
  EXPECT_EQ(by_pod["runAsNonRoot"], true);
  EXPECT_FALSE(by_pod.contains("fsGroup"));
  EXPECT_FALSE(waiting(pod("{securityContext: {runAsUser: 0}}"))["securityContext"].contains("runAsNonRoot"));
}

}  // namespace
}  // namespace landfall::item_actions
