#include "k8s/object_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::k8s {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const Json& pod() {
  static const Json kDocument = *json::parse(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {
      "name": "web-0", "namespace": "shop", "uid": "1234", "resourceVersion": "42", "generateName": "web-",
      "labels": {"app": "web", "empty": null}, "annotations": {"note": "hello"},
      "creationTimestamp": "2026-05-20T08:00:22Z",
      "ownerReferences": [
        {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u1"},
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "u2", "controller": true,
         "blockOwnerDeletion": true}],
      "finalizers": ["a/b", "c/d"]},
    "status": {"conditions": [
      {"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "False"},
      {"type": "Odd", "status": "Unknown"}, {"type": "Ready", "status": "False"}]}})");
  return kDocument;
}

Json with_metadata(std::string_view metadata) {
  return *json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":)" + std::string(metadata) + "}");
}

TEST(ObjectView, ReadsTheIdentityOfAnObject) {
  const ObjectView view(pod());

  EXPECT_EQ(view.api_version(), "v1");
  EXPECT_EQ(view.kind(), "Pod");
  EXPECT_EQ(view.group_version_kind(), (GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(view.namespaced_name(), (NamespacedName{"shop", "web-0"}));
  EXPECT_EQ(view.generate_name(), "web-");
  EXPECT_EQ(view.uid(), "1234");
  EXPECT_EQ(view.resource_version(), "42");
}

TEST(ObjectView, IsSafeOnAnyDocument) {
  for (const char* const text :
       {"null", "[]", "7", "{}", R"({"metadata":null})", R"({"metadata":[]})",
        R"({"kind":1,"metadata":{"name":7,"labels":[],"annotations":"x","ownerReferences":{},"finalizers":"f",
            "deletionTimestamp":5},"status":{"conditions":{}}})",
        R"({"metadata":{"ownerReferences":[{}, 1]},"status":{"conditions":[1,null,{"type":7}]}})"}) {
    const Json document = *json::parse(text);
    const ObjectView view(document);
    EXPECT_EQ(view.name(), "") << text;
    EXPECT_EQ(view.kind(), "") << text;
    EXPECT_TRUE(view.labels().empty()) << text;
    EXPECT_FALSE(view.annotations().contains("x")) << text;
    EXPECT_THAT(view.owner_references(), IsEmpty()) << text;
    EXPECT_THAT(view.finalizers(), IsEmpty()) << text;
    EXPECT_FALSE(view.is_being_deleted()) << text;
    EXPECT_FALSE(view.is_condition_true("Ready")) << text;
  }
}

TEST(ObjectView, ReadsANullLabelAsAnEmptyText) {
  const StringMapView labels = ObjectView(pod()).labels();

  EXPECT_EQ(labels.get("app"), "web");
  EXPECT_EQ(labels.get("empty"), "");
  EXPECT_EQ(labels.get("missing"), std::nullopt);
  EXPECT_EQ(labels.size(), 2U);
  EXPECT_THAT(labels.copy(), ElementsAre(Pair("app", "web"), Pair("empty", "")));
}

TEST(ObjectView, DropsAllLabelsWhenOneIsNoText) {
  const Json document = with_metadata(R"({"labels": {"app": "web", "replicas": 3}})");

  EXPECT_TRUE(ObjectView(document).labels().empty());
  EXPECT_EQ(ObjectView(document).labels().get("app"), std::nullopt);
}

TEST(ObjectView, FindsTheOwnerThatManagesTheObject) {
  const auto owners = ObjectView(pod()).owner_references();
  const auto controller = ObjectView(pod()).controller();

  ASSERT_EQ(owners.size(), 2U);
  EXPECT_EQ(owners[0].kind, "Node");
  EXPECT_FALSE(owners[0].controller);
  ASSERT_TRUE(controller);
  EXPECT_EQ(controller->api_version, "apps/v1");
  EXPECT_EQ(controller->name, "web");
  EXPECT_EQ(controller->uid, "u2");
  EXPECT_TRUE(controller->block_owner_deletion);
}

TEST(ObjectView, LooksAtTheFirstConditionOfAType) {
  const ObjectView view(pod());

  EXPECT_TRUE(view.is_condition_true("Ready"));
  EXPECT_FALSE(view.is_condition_true("Initialized"));
  EXPECT_FALSE(view.is_condition_true("Odd"));
  EXPECT_FALSE(view.is_condition_true("Missing"));
  EXPECT_EQ(view.condition("Missing"), nullptr);
}

TEST(ObjectView, IsBeingDeletedOnceItHasADeletionTimestamp) {
  const Json deleted = with_metadata(R"({"deletionTimestamp": "2026-05-20T08:00:22Z"})");
  const Json damaged = with_metadata(R"({"deletionTimestamp": "soon"})");

  EXPECT_FALSE(ObjectView(pod()).is_being_deleted());
  EXPECT_TRUE(ObjectView(deleted).is_being_deleted());
  EXPECT_EQ(ObjectView(deleted).deletion_timestamp(), ObjectView(pod()).creation_timestamp());
  EXPECT_FALSE(ObjectView(damaged).is_being_deleted());
}

TEST(ObjectMetadata, GetsLabelsAndAnnotationsWithDotsAndSlashesInTheirKeys) {
  Json document = Json::object();

  ASSERT_TRUE(set_label(document, "velero.io/backup-name", "b1"));
  ASSERT_TRUE(set_annotation(document, "a~b/c.d", "x"));

  EXPECT_EQ(document, *json::parse(R"({"metadata": {"labels": {"velero.io/backup-name": "b1"},
                                                    "annotations": {"a~b/c.d": "x"}}})"));
}

TEST(ObjectMetadata, ReplacesNullButNothingElse) {
  Json null_labels = with_metadata(R"({"labels": null})");
  Json odd_labels = with_metadata(R"({"labels": ["a"]})");
  const Json before = odd_labels;

  EXPECT_TRUE(set_label(null_labels, "a", "b"));
  EXPECT_EQ(ObjectView(null_labels).labels().get("a"), "b");
  EXPECT_FALSE(set_label(odd_labels, "a", "b"));
  EXPECT_EQ(odd_labels, before);
}

TEST(ObjectMetadata, LosesALabelOrAnnotation) {
  Json document = pod();

  EXPECT_TRUE(remove_label(document, "app"));
  EXPECT_FALSE(remove_label(document, "app"));
  EXPECT_TRUE(remove_annotation(document, "note"));
  EXPECT_FALSE(ObjectView(document).labels().contains("app"));
  EXPECT_TRUE(ObjectView(document).annotations().empty());
}

TEST(ObjectMetadata, AddsAFinalizerOnce) {
  Json document = Json::object();

  ASSERT_TRUE(add_finalizer(document, "x/y"));
  ASSERT_TRUE(add_finalizer(document, "x/y"));
  ASSERT_TRUE(add_finalizer(document, "z/z"));

  EXPECT_THAT(ObjectView(document).finalizers(), ElementsAre("x/y", "z/z"));
}

TEST(ObjectMetadata, RemovesAFinalizerAndKeepsTheOthers) {
  Json document = pod();

  EXPECT_TRUE(remove_finalizer(document, "a/b"));
  EXPECT_FALSE(remove_finalizer(document, "a/b"));
  EXPECT_THAT(ObjectView(document).finalizers(), ElementsAre("c/d"));
}

TEST(NamespacedName, PrintsAndReadsBothScopes) {
  EXPECT_EQ(to_string(NamespacedName{"shop", "web"}), "shop/web");
  EXPECT_EQ(to_string(NamespacedName{"", "node-1"}), "node-1");
  EXPECT_EQ(parse_namespaced_name("shop/web"), (NamespacedName{"shop", "web"}));
  EXPECT_EQ(parse_namespaced_name("node-1"), (NamespacedName{"", "node-1"}));
  EXPECT_EQ(to_string(ObjectRef{{"apps", "deployments"}, "shop", "web"}), "deployments.apps shop/web");
}

}  // namespace
}  // namespace landfall::k8s
