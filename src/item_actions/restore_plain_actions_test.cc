// Actions that look at nothing but their object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item_actions/restore_api_actions.h"
#include "item_actions/restore_binding_actions.h"
#include "item_actions/restore_claim_action.h"
#include "item_actions/restore_job_action.h"
#include "item_actions/restore_pod_actions.h"
#include "item_actions/restore_service_account_action.h"
#include "item_actions/test_restore_input.h"

namespace landfall::item_actions {
namespace {

using json::Json;
using k8s::ObjectRef;
using testing::ElementsAre;
using testing::IsEmpty;

const char* const kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: db-0, namespace: shop}
spec:
  nodeName: node-1
  priority: 1000
  priorityClassName: high
  serviceAccountName: robot
  unknownField: 1
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data-db-0}}
  - {name: robot-token-x2k4b, secret: {secretName: robot-token-x2k4b}}
  - {name: scratch, emptyDir: {}}
  - {name: logs, persistentVolumeClaim: {claimName: logs-db-0}}
  containers:
  - name: db
    volumeMounts: [{name: data, mountPath: /data}, {name: robot-token-x2k4b, mountPath: /token}]
  initContainers:
  - name: restore-wait
    volumeMounts: [{name: robot-token-x2k4b, mountPath: /token}]
  - {name: prepare}
  - {name: restic-wait}
)";

TEST(RestorePodClaimsAction, TakesTheClaimsOfVolumesAlong) {
  const auto action = make_restore_pod_claims_action();
  const Json pod = yaml(kPod);
  const auto result = run(*action, pod, pod).value();
  EXPECT_EQ(result.changed, nullptr);
  const k8s::GroupResource claims{"", "persistentvolumeclaims"};
  EXPECT_THAT(result.additional,
              ElementsAre(ObjectRef{claims, "shop", "data-db-0"}, ObjectRef{claims, "shop", "logs-db-0"}));
  for (const char* odd :
       {"{spec: {volumes: none}}", "{spec: {volumes: [1, null, {persistentVolumeClaim: 3}]}}", "[]"}) {
    EXPECT_THAT(run(*action, yaml(odd), yaml(odd)).value().additional, IsEmpty()) << odd;
  }
}

TEST(RestorePodAction, FreesThePodFromItsNodeAndToken) {
  const auto action = make_restore_pod_action();
  const Json pod = yaml(kPod);
  const auto result = run(*action, pod, pod).value();
  EXPECT_THAT(result.additional, ElementsAre(ObjectRef{{"scheduling.k8s.io", "priorityclasses"}, "", "high"}));
  Json expected = pod;
  expected["spec"].erase("nodeName");
  expected["spec"].erase("priority");
  expected["spec"]["volumes"].erase(1);
  expected["spec"]["containers"][0]["volumeMounts"].erase(1);
  expected["spec"]["initContainers"][0].erase("volumeMounts");
  EXPECT_EQ(*result.changed, expected);
}

TEST(RestorePodAction, LeavesAPodAloneThatHasNothingToLose) {
  const auto action = make_restore_pod_action();
  const Json pod = yaml("{spec: {volumes: [{name: a-token-b}], containers: [{volumeMounts: [{name: a-token-b}]}]}}");
  EXPECT_EQ(run(*action, pod, pod).value().changed, nullptr);
  const Json odd = yaml("{spec: {containers: [null, 1, {volumeMounts: [2]}], volumes: [x]}}");
  EXPECT_EQ(run(*action, odd, odd).value().changed, nullptr);
}

TEST(RestoreWebhookAction, MakesSideEffectsWhatV1Allows) {
  const auto action = make_restore_webhook_action();
  Json hooks = yaml(R"(
apiVersion: admissionregistration.k8s.io/v1
webhooks: [{name: a, sideEffects: None}, {name: b, sideEffects: NoneOnDryRun}, {name: c, sideEffects: Unknown}, {name: d}]
)");
  EXPECT_EQ(changed_by(*action, hooks)["webhooks"], yaml(R"(
[{name: a, sideEffects: None}, {name: b, sideEffects: NoneOnDryRun}, {name: c, sideEffects: None}, {name: d, sideEffects: None}]
)"));
  hooks["webhooks"].push_back("no webhook");
  EXPECT_EQ(changed_by(*action, hooks)["webhooks"].size(), 4U);
  hooks["apiVersion"] = "admissionregistration.k8s.io/v1beta1";
  EXPECT_EQ(run(*action, hooks, hooks).value().changed, nullptr);
}

TEST(RestoreWebhookAction, RefusesWebhooksThatAreNoList) {
  const auto action = make_restore_webhook_action();
  const Json odd = yaml("{apiVersion: admissionregistration.k8s.io/v1, webhooks: {}}");
  const auto result = run(*action, odd, odd);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kInvalid);
  const Json none = yaml("{apiVersion: admissionregistration.k8s.io/v1}");
  EXPECT_EQ(run(*action, none, none).value().changed, nullptr);
}

TEST(RestoreApiServiceAction, SkipsWhatTheServerKeepsByItself) {
  const auto action = make_restore_api_service_action();
  EXPECT_EQ(action->scope().label_selector, "kube-aggregator.kubernetes.io/automanaged");
  EXPECT_TRUE(run(*action, Json::object(), Json::object()).value().skip);
}

TEST(RestoreDefinitionAction, MovesPreserveUnknownFieldsIntoTheSchemas) {
  const auto action = make_restore_definition_action();
  Json definition = yaml(R"(
apiVersion: apiextensions.k8s.io/v1
spec:
  preserveUnknownFields: true
  versions:
  - {name: v1, schema: {openAPIV3Schema: {type: object}}}
  - {name: v2}
)");
  EXPECT_EQ(changed_by(*action, definition)["spec"], yaml(R"(
versions:
- {name: v1, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
- {name: v2}
)"));
  Json strict = definition;
  strict["spec"]["preserveUnknownFields"] = false;
  EXPECT_EQ(run(*action, strict, strict).value().changed, nullptr);
  definition["apiVersion"] = "apiextensions.k8s.io/v1beta1";
  EXPECT_EQ(run(*action, definition, definition).value().changed, nullptr);
}

TEST(RestoreBindingActions, MapTheNamespacesOfSubjects) {
  const json::StringMap mapping = {{"shop", "shop-copy"}};
  const Json binding = yaml(R"(
subjects: [{kind: ServiceAccount, name: a, namespace: shop}, {kind: ServiceAccount, name: b, namespace: bank}, {kind: User, name: c}]
)");
  for (const auto& action : {make_restore_bindings_action(mapping), make_restore_cluster_bindings_action(mapping)}) {
    Json expected = binding;
    expected["subjects"][0]["namespace"] = "shop-copy";
    EXPECT_EQ(changed_by(*action, binding), expected);
    const Json other = yaml("{subjects: [{namespace: bank}, null, 1]}");
    EXPECT_EQ(run(*action, other, other).value().changed, nullptr);
  }
}

TEST(RestoreJobAction, RemovesBothLabelsWithTheUidFromSelectorAndTemplate) {
  const auto action = make_restore_job_action();
  const Json job = yaml(R"(
spec:
  selector: {matchLabels: {controller-uid: u, batch.kubernetes.io/controller-uid: u}}
  template: {metadata: {labels: {app: j, controller-uid: u, batch.kubernetes.io/controller-uid: u, job-name: j}}}
)");
  EXPECT_EQ(changed_by(*action, job),
            yaml("{spec: {selector: {}, template: {metadata: {labels: {app: j, job-name: j}}}}}"));
  const Json manual = yaml("{spec: {selector: {matchLabels: {app: j}}}}");
  EXPECT_EQ(run(*action, manual, manual).value().changed, nullptr);
}

TEST(RestoreClaimAction, ForgetsWhatTheClaimWasBoundTo) {
  const auto action = make_restore_claim_action();
  Json claim = yaml(R"(
metadata:
  annotations:
    pv.kubernetes.io/bind-completed: "yes"
    pv.kubernetes.io/bound-by-controller: "yes"
    volume.kubernetes.io/storage-provisioner: p
    volume.beta.kubernetes.io/storage-provisioner: p
    volume.kubernetes.io/selected-node: n
    velero.io/volume-snapshot-name: s
    velero.io/data-upload-name: d
spec: {volumeName: pv-now}
)");
  Json from_backup = yaml("{spec: {volumeName: pv-1}, status: {phase: Bound}}");
  EXPECT_EQ(changed_by(*action, claim, from_backup), yaml("{metadata: {}, spec: {volumeName: pv-now}}"));
  EXPECT_THAT(run(*action, claim, from_backup).value().additional,
              ElementsAre(ObjectRef{{"", "persistentvolumes"}, "", "pv-1"}));

  claim["metadata"]["annotations"]["mine"] = "1";
  EXPECT_EQ(changed_by(*action, claim, from_backup)["metadata"], yaml("{annotations: {mine: '1'}}"));
  from_backup["status"]["phase"] = "Lost";
  EXPECT_THAT(run(*action, claim, from_backup).value().additional, IsEmpty());
}

TEST(RestoreServiceAccountAction, RemovesTheLastReferenceToATokenOfItsOwn) {
  const auto action = make_restore_service_account_action();
  const Json account = yaml(R"(
metadata: {name: robot}
secrets: [{name: robot-token-1}, {name: pull}, {name: robot-token-2}, {name: other-token-3}]
)");
  EXPECT_EQ(changed_by(*action, account)["secrets"],
            yaml("[{name: robot-token-1}, {name: pull}, {name: other-token-3}]"));
  EXPECT_EQ(changed_by(*action, yaml("{metadata: {name: robot}, secrets: [{name: robot-token-1}]}")),
            yaml("{metadata: {name: robot}}"));
  const Json none = yaml("{metadata: {name: robot}, secrets: [{name: pull}, null]}");
  EXPECT_EQ(run(*action, none, none).value().changed, nullptr);
}

}  // namespace
}  // namespace landfall::item_actions
