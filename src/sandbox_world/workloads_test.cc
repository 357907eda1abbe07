#include <fstream>

#include "json/parse.h"
#include "sandbox_world/node_controller.h"
#include "sandbox_world/rollout.h"
#include "sandbox_world/test_world.h"

namespace landfall::sandbox {
namespace {

namespace fs = std::filesystem;
using json::Json;

class Workloads : public WorldTest {
 protected:
  void SetUp() override { begin(true); }

  std::vector<Json> pods(const std::string& with = "") { return cluster().list(kinds().pods, "default", with); }
  bool is_ready(const KindInfo& kind, const std::string& name, std::int64_t replicas) {
    return becomes(kind, "default", name, [&](const Json& object) {
      return json::int_or(object, {"status", "readyReplicas"}, 0) == replicas &&
             json::int_or(object, {"status", "observedGeneration"}, 0) ==
                 json::int_or(object, {"metadata", "generation"}, -1);
    });
  }
  fs::path claim_directory(const std::string& name) {
    const auto claim = cluster().get(kinds().claims, "default", name);
    const auto volume = cluster().get(kinds().volumes, "", json::string_or(*claim, {"spec", "volumeName"}, ""));
    return json::string_or(*volume, {"spec", "local", "path"}, "");
  }
};

constexpr const char* kWeb = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: web, image: "web:1"}]}
)";

TEST_F(Workloads, RollsADeploymentToANewRevision) {
  apply(kWeb);
  ASSERT_TRUE(is_ready(kinds().deployments, "web", 3));
  ASSERT_TRUE(cluster().modify(kinds().deployments, *cluster().get(kinds().deployments, "default", "web"),
                               [](Json& live) -> Status {
                                 live["spec"]["template"]["spec"]["containers"][0]["image"] = "web:2";
                                 return {};
                               }));

  EXPECT_TRUE(becomes(kinds().deployments, "default", "web", [](const Json& web) {
    const Json* progress = k8s::ObjectView(web).condition("Progressing");
    return progress != nullptr && json::string_or(*progress, {"reason"}, "") == "NewReplicaSetAvailable" &&
           json::int_or(web, {"status", "updatedReplicas"}, 0) == 3 &&
           json::int_or(web, {"status", "replicas"}, 0) == 3 &&
           k8s::ObjectView(web).annotations().get("deployment.kubernetes.io/revision") == "2";
  }));
  EXPECT_TRUE(eventually([&] { return pods("web:1").empty() && pods("web:2").size() == 3; }));
}

TEST_F(Workloads, TakesOverWhatARestoreBroughtBack) {
  apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: web-old, namespace: default, labels: {app: web}}, spec: "
      "{containers: [{name: web, image: x}]}}");
  const Json restored = *cluster().get(kinds().pods, "default", "web-old");
  apply(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: x}]}}}
)");

  ASSERT_TRUE(is_ready(kinds().replica_sets, "web", 1));
  ASSERT_EQ(pods().size(), 1U);
  const Json owned = pods()[0];
  EXPECT_EQ(owned["metadata"]["uid"], restored["metadata"]["uid"]);
  EXPECT_EQ(k8s::ObjectView(owned).controller()->name, "web");
}

TEST_F(Workloads, GivesAStatefulSetNumberedPodsWithVolumesOfTheirOwn) {
  apply(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: x, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
)");

  ASSERT_TRUE(is_ready(kinds().stateful_sets, "db", 2));
  EXPECT_TRUE(is_there(kinds().pods, "default", "db-0"));
  const fs::path first = claim_directory("data-db-0");
  EXPECT_TRUE(fs::is_directory(first));
  EXPECT_NE(first, claim_directory("data-db-1"));
  // Through the pod's own directory, as a node agent looks for it.
  const auto pod = cluster().get(kinds().pods, "default", "db-0");
  const fs::path seen = folder_.path() / "pods" / std::string(k8s::ObjectView(*pod).uid()) / "volumes" /
                        "kubernetes.io~local-volume" / first.filename();
  std::ofstream(seen / "table") << "row1";
  EXPECT_TRUE(fs::exists(first / "table"));
}

TEST_F(Workloads, RemovesAProvisionedVolumeWithItsClaim) {
  apply(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {accessModes: "
      "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");
  ASSERT_TRUE(eventually([&] { return phase(kinds().claims, "default", "data") == "Bound"; }));
  const fs::path directory = claim_directory("data");
  ASSERT_TRUE(fs::is_directory(directory));

  ASSERT_TRUE(sandbox_->api().remove(kinds().claims, "default", "data"));

  EXPECT_TRUE(eventually([&] { return !fs::exists(directory) && cluster().list(kinds().volumes, "").empty(); }));
}

TEST_F(Workloads, BindsAClaimToTheVolumeThatIsMeantForIt) {
  const std::string volume = R"(
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: local, persistentVolumeReclaimPolicy: Retain,
       local: {path: /nowhere/NAME},
       nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [localhost]}]}]}}}
)";
  std::string free = volume;
  for (std::size_t at = 0; (at = free.find("NAME")) != std::string::npos;) free.replace(at, 4, "free");
  std::string meant = volume;
  for (std::size_t at = 0; (at = meant.find("NAME")) != std::string::npos;) meant.replace(at, 4, "meant");
  meant.replace(meant.find("capacity"), 0, "claimRef: {namespace: default, name: data}, ");
  apply(free);
  apply(meant);
  apply(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: "
      "{storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");

  ASSERT_TRUE(eventually([&] { return phase(kinds().claims, "default", "data") == "Bound"; }));
  EXPECT_EQ(json::string_or(*cluster().get(kinds().claims, "default", "data"), {"spec", "volumeName"}, ""), "meant");
  EXPECT_TRUE(eventually([&] { return phase(kinds().volumes, "", "free") == "Available"; }));
  EXPECT_TRUE(fs::is_directory(folder_.path() / "volumes" / "meant"));

  ASSERT_TRUE(sandbox_->api().remove(kinds().claims, "default", "data"));
  EXPECT_TRUE(eventually([&] { return phase(kinds().volumes, "", "meant") == "Released"; }));
  EXPECT_TRUE(fs::is_directory(folder_.path() / "volumes" / "meant"));
}

TEST_F(Workloads, HoldsAPodUntilItsVolumesAreRestored) {
  apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  volumes: [{name: cache, emptyDir: {}}]
  initContainers: [{name: restore-wait, image: x, args: [11111111-2222-3333-4444-555555555555], volumeMounts: [{name: cache, mountPath: /restores/cache}]}]
  containers: [{name: web, image: x}]
)");
  ASSERT_TRUE(becomes(kinds().pods, "default", "web", [](const Json& pod) {
    return json::has(pod, {"status", "initContainerStatuses", "0", "state", "running"});
  }));
  const auto pod = cluster().get(kinds().pods, "default", "web");
  EXPECT_EQ(json::string_or(*pod, {"status", "phase"}, ""), "Pending");
  const fs::path volume = folder_.path() / "pods" / std::string(k8s::ObjectView(*pod).uid()) / "volumes" /
                          "kubernetes.io~empty-dir" / "cache";
  ASSERT_TRUE(fs::is_directory(volume));

  fs::create_directories(volume / ".velero");
  std::ofstream(volume / ".velero" / "11111111-2222-3333-4444-555555555555") << "";

  EXPECT_TRUE(eventually([&] { return phase(kinds().pods, "default", "web") == "Running"; }));

  ASSERT_TRUE(sandbox_->api().remove(kinds().pods, "default", "web"));
  EXPECT_TRUE(goes(kinds().pods, "default", "web"));
  EXPECT_TRUE(eventually([&] { return !fs::exists(volume); }));
}

TEST_F(Workloads, RunsAJobToItsEndAndADaemonOnTheNode) {
  apply(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: migrate, namespace: default}, spec: {completions: 2, "
      "template: {spec: {restartPolicy: Never, containers: [{name: j, image: x}]}}}}");
  apply(
      "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: default}, spec: {selector: "
      "{matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: a, image: "
      "x}]}}}}");

  EXPECT_TRUE(becomes(kinds().jobs, "default", "migrate", [](const Json& job) {
    return k8s::ObjectView(job).is_condition_true("Complete") && json::int_or(job, {"status", "succeeded"}, 0) == 2;
  }));
  EXPECT_TRUE(becomes(kinds().daemon_sets, "default", "agent",
                      [](const Json& set) { return json::int_or(set, {"status", "numberReady"}, 0) == 1; }));
  EXPECT_TRUE(becomes(kinds().nodes, "", std::string(kNodeName),
                      [](const Json& node) { return k8s::ObjectView(node).is_condition_true("Ready"); }));
}

TEST_F(Workloads, GoesWithItsNamespace) {
  apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
  std::string web = kWeb;
  web.replace(web.find("namespace: default"), 18, "namespace: shop");
  apply(web);
  ASSERT_TRUE(becomes(kinds().deployments, "shop", "web",
                      [](const Json& object) { return json::int_or(object, {"status", "readyReplicas"}, 0) == 3; }));

  ASSERT_TRUE(sandbox_->api().remove(kinds().namespaces, "", "shop"));

  EXPECT_TRUE(goes(kinds().namespaces, "", "shop"));
  EXPECT_TRUE(cluster().list(kinds().pods, "shop").empty());
}

TEST_F(Workloads, AreNotDisturbedByAnObjectOfAStrangeShape) {
  for (const char* spec :
       {R"({"selector":{"matchLabels":{"a":"b"}},"template":5,"volumeClaimTemplates":[7]})",
        R"({"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":"x","spec":[]},"replicas":"many"})"}) {
    const Json object = {{"metadata", {{"name", "odd"}, {"namespace", "default"}, {"uid", spec}}},
                         {"spec", *json::parse(spec)},
                         {"status", "none"}};
    for (const KindInfo* kind : {&kinds().deployments, &kinds().stateful_sets, &kinds().jobs, &kinds().claims}) {
      // A controller may change it between the look and the removal.
      ASSERT_TRUE(eventually([&] {
        const auto there = sandbox_->store().get(kind->storage, "default", "odd");
        return !there || sandbox_->store().remove(kind->storage, there).has_value();
      }));
      ASSERT_TRUE(sandbox_->store().create(kind->storage, encode(object)));
    }
  }
  apply(kWeb);

  EXPECT_TRUE(is_ready(kinds().deployments, "web", 3));
}

TEST(Rollout, NeverHasMoreNorFewerPodsThanTheStrategyAllows) {
  SetSize fresh;
  std::vector<SetSize> old = {{.wanted = 4, .there = 4, .available = 4}};
  const RolloutRules rules{.replicas = 4, .surge = 1, .unavailable = 1};
  int steps = 0;
  while (old[0].there > 0 && ++steps < 20) {
    const std::vector<std::int64_t> next = next_sizes(fresh, old, rules);
    ASSERT_LE(next[0] + next[1], 5);
    fresh.wanted = next[0];
    old[0] = {.wanted = next[1], .there = next[1], .available = next[1]};
    ASSERT_GE(fresh.available + old[0].available, 3);
    fresh.there = fresh.available = fresh.wanted;
  }
  EXPECT_EQ(fresh.available, 4);
}

TEST(Rollout, ClearsTheOldPodsFirstWhenItRecreates) {
  const RolloutRules rules{.replicas = 2, .recreates = true};

  EXPECT_EQ(next_sizes({}, {{.wanted = 2, .there = 2, .available = 2}}, rules), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(next_sizes({}, {{.wanted = 0, .there = 0}}, rules), (std::vector<std::int64_t>{2, 0}));
}

}  // namespace
}  // namespace landfall::sandbox
