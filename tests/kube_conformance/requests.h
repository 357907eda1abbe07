#pragma once

#include "kube_conformance/fixture.h"

namespace landfall::kube {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_P(KubeConformance, CreatesReadsUpdatesAndDeletes) {
  const auto created = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_FALSE(text(*created, {"metadata", "uid"}).empty());
  EXPECT_FALSE(text(*created, {"metadata", "creationTimestamp"}).empty());
  EXPECT_EQ(text(*created, {"metadata", "namespace"}), name_space_);

  auto read = config_maps().get("a", {});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, *created);
  (*read)["data"]["value"] = "2";
  const auto updated = config_maps().update(*read, {});
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ((*updated)["data"]["value"], "2");
  EXPECT_EQ(text(*updated, {"metadata", "uid"}), text(*created, {"metadata", "uid"}));
  EXPECT_NE(version(*updated), version(*created));
  EXPECT_EQ(version(config_maps().update(*updated, {}).value()), version(*updated)) << "nothing changed";

  EXPECT_TRUE(config_maps().remove("a", {}));
  EXPECT_EQ(error_of(config_maps().get("a", {})).code(), Code::kNotFound);
  EXPECT_EQ(error_of(config_maps().remove("a", {})).code(), Code::kNotFound);
}

TEST_P(KubeConformance, GeneratesNames) {
  json::Json object = config_map("x");
  object["metadata"] = {{"generateName", "made-"}};
  const auto first = config_maps().create(object, {});
  const auto second = config_maps().create(object, {});
  ASSERT_TRUE(first && second);
  EXPECT_THAT(text(*first, {"metadata", "name"}), StartsWith("made-"));
  EXPECT_EQ(text(*first, {"metadata", "name"}).size(), 10U);
  EXPECT_NE(text(*first, {"metadata", "name"}), text(*second, {"metadata", "name"}));
}

TEST_P(KubeConformance, SaysWhatIsMissing) {
  const Error error = error_of(deployments().get("nothing", {}));
  EXPECT_EQ(error.code(), Code::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("deployments.apps \"nothing\" not found"));
  const ApiStatus status = status_of(error);
  EXPECT_EQ(status.http_status, 404);
  EXPECT_EQ(status.reason, "NotFound");
  EXPECT_EQ(status.name, "nothing");
  EXPECT_EQ(status.group, "apps");
  EXPECT_EQ(status.kind, "deployments");
  EXPECT_EQ(error_of(resource({"", "v1", "unknowns"}).list({}, {})).code(), Code::kNotFound);
  EXPECT_EQ(error_of(resource({"apps", "v9", "deployments"}).list({}, {})).code(), Code::kNotFound);
  json::Json elsewhere = config_map("a");
  const Resource nowhere(*client_, kConfigMaps, "no-such-namespace");
  EXPECT_THAT(error_of(nowhere.create(elsewhere, {})).message(),
              HasSubstr("namespaces \"no-such-namespace\" not found"));
}

TEST_P(KubeConformance, RefusesANameThatIsTaken) {
  ASSERT_TRUE(config_maps().create(config_map("a"), {}));
  const Error error = error_of(config_maps().create(config_map("a"), {}));
  EXPECT_EQ(error.code(), Code::kAlreadyExists);
  EXPECT_THAT(error.message(), HasSubstr("configmaps \"a\" already exists"));
  EXPECT_EQ(status_of(error).reason, "AlreadyExists");
  EXPECT_EQ(status_of(error).name, "a");
}

TEST_P(KubeConformance, RefusesAnUpdateOfAnOldVersion) {
  auto object = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(object);
  json::Json stale = *object;
  (*object)["data"]["value"] = "2";
  ASSERT_TRUE(config_maps().update(*object, {}));
  stale["data"]["value"] = "3";
  const Error error = error_of(config_maps().update(stale, {}));
  EXPECT_EQ(error.code(), Code::kConflict);
  EXPECT_EQ(status_of(error).reason, "Conflict");
  EXPECT_THAT(error.message(), HasSubstr("the object has been modified"));
}

TEST_P(KubeConformance, RefusesWhatIsNotValidAndNamesTheField) {
  json::Json bad = labelled("Bad_Name", "key", "not valid!");
  const Error error = error_of(config_maps().create(bad, {}));
  EXPECT_EQ(error.code(), Code::kInvalid);
  const ApiStatus status = status_of(error);
  EXPECT_EQ(status.http_status, 422);
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.name, "Bad_Name");
  EXPECT_EQ(status.kind, "ConfigMap");
  std::vector<std::string> fields;
  for (const ApiStatus::Cause& cause : status.causes) {
    EXPECT_EQ(cause.reason, "FieldValueInvalid");
    fields.push_back(cause.field);
  }
  EXPECT_THAT(fields, testing::UnorderedElementsAre("metadata.name", "metadata.labels"));
  EXPECT_THAT(error.message(), HasSubstr("a lowercase RFC 1123 subdomain must consist of"));
}

TEST_P(KubeConformance, RefusesABodyThatIsNotTheKind) {
  Call post{.method = "POST", .path = "/api/v1/namespaces/" + name_space_ + "/configmaps"};
  post.body = "{\"kind\":";
  const Error broken = error_of(client_->call(post, {}));
  EXPECT_EQ(broken.code(), Code::kInvalid);
  EXPECT_EQ(status_of(broken).http_status, 400);
  post.body = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})";
  EXPECT_EQ(status_of(error_of(client_->call(post, {}))).http_status, 400);
  post.content_type = "text/plain";
  const Error type = error_of(client_->call(post, {}));
  EXPECT_EQ(type.code(), Code::kUnsupported);
  EXPECT_EQ(status_of(type).http_status, 415);
  json::Json elsewhere = config_map("a");
  elsewhere["metadata"]["namespace"] = "default";
  EXPECT_EQ(status_of(error_of(config_maps().create(elsewhere, {}))).http_status, 400);
  json::Json versioned = config_map("a");
  versioned["metadata"]["resourceVersion"] = "1";
  const Error set = error_of(config_maps().create(versioned, {}));
  EXPECT_THAT(set.message(), HasSubstr("resourceVersion should not be set on objects to be created"));
  EXPECT_EQ(status_of(set).http_status, 500) << "as odd as it is";
}

TEST_P(KubeConformance, MergesAndPatches) {
  ASSERT_TRUE(deployments().create(deployment("web"), {}));
  const auto merged = deployments().patch("web", PatchType::kMerge,
                                          {{"metadata", {{"annotations", {{"a", "1"}, {"b", nullptr}}}}}}, {});
  ASSERT_TRUE(merged) << merged.error().message();
  EXPECT_EQ(json::dump((*merged)["metadata"]["annotations"]), R"({"a":"1"})");

  const json::Json containers = json::parse(R"({"spec":{"template":{"spec":{"containers":[
      {"name":"web","env":[{"name":"B","value":"2"}]},{"name":"side","image":"example.com/side:1"}]}}}})")
                                    .value();
  const auto strategic = deployments().patch("web", PatchType::kStrategic, containers, {});
  ASSERT_TRUE(strategic) << strategic.error().message();
  const json::Json& found = (*strategic)["spec"]["template"]["spec"]["containers"];
  ASSERT_EQ(found.size(), 2U) << found.dump();
  for (const json::Json& each : found) {
    if (each["name"] == "web") {
      EXPECT_EQ(each["image"], "example.com/web:1");
      EXPECT_EQ(each["env"].size(), 2U);
    }
  }

  const json::Json replace = json::parse(R"([{"op":"test","path":"/spec/replicas","value":0},
      {"op":"replace","path":"/spec/replicas","value":2},{"op":"add","path":"/metadata/labels","value":{"x":"y"}}])")
                                 .value();
  const auto patched = deployments().patch("web", PatchType::kJson, replace, {});
  ASSERT_TRUE(patched) << patched.error().message();
  EXPECT_EQ((*patched)["spec"]["replicas"], 2);
  EXPECT_EQ(status_of(error_of(deployments().patch("web", PatchType::kJson, replace, {}))).http_status, 422)
      << "the test in it fails now";
  EXPECT_EQ(error_of(deployments().patch("none", PatchType::kMerge, json::Json::object(), {})).code(), Code::kNotFound);
  const json::Json stale = {{"metadata", {{"resourceVersion", "1"}}}, {"spec", {{"replicas", 5}}}};
  EXPECT_EQ(error_of(deployments().patch("web", PatchType::kMerge, stale, {})).code(), Code::kConflict);
}

TEST_P(KubeConformance, AppliesAndKeepsTrackOfWhoOwnsWhat) {
  json::Json mine = config_map("a");
  mine["data"] = {{"x", "1"}, {"y", "1"}};
  const auto created = config_maps().patch("a", PatchType::kApply, mine, {}, {.field_manager = "one"});
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ((*created)["metadata"]["managedFields"][0]["manager"], "one");
  EXPECT_EQ((*created)["metadata"]["managedFields"][0]["operation"], "Apply");

  json::Json theirs = config_map("a");
  theirs["data"] = {{"y", "2"}, {"z", "2"}};
  const Error conflict = error_of(config_maps().patch("a", PatchType::kApply, theirs, {}, {.field_manager = "two"}));
  EXPECT_EQ(conflict.code(), Code::kConflict);
  EXPECT_THAT(conflict.message(), HasSubstr("conflict with \"one\""));
  ASSERT_EQ(status_of(conflict).causes.size(), 1U);
  EXPECT_EQ(status_of(conflict).causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(status_of(conflict).causes[0].field, ".data.y");

  const auto forced = config_maps().patch("a", PatchType::kApply, theirs, {}, {.field_manager = "two", .force = true});
  ASSERT_TRUE(forced) << forced.error().message();
  EXPECT_EQ(json::dump((*forced)["data"]), R"({"x":"1","y":"2","z":"2"})");
  // What a manager applied before and leaves out now goes, unless somebody else has it.
  mine["data"] = {{"w", "1"}};
  const auto again = config_maps().patch("a", PatchType::kApply, mine, {}, {.field_manager = "one"});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(json::dump((*again)["data"]), R"({"w":"1","y":"2","z":"2"})");
}

TEST_P(KubeConformance, KeepsStatusAndSpecApart) {
  ASSERT_TRUE(deployments().create(deployment("web"), {}));
  const auto read = deployments().get("web", {});
  ASSERT_TRUE(read);
  const json::Json status = {{"observedGeneration", 7}, {"replicas", 0}};
  json::Json both = *read;
  both["status"] = status;
  both["spec"]["replicas"] = 4;
  const auto through_main = deployments().update(both, {});
  ASSERT_TRUE(through_main) << through_main.error().message();
  EXPECT_FALSE(json::has(*through_main, {"status", "observedGeneration"}));
  EXPECT_EQ((*through_main)["spec"]["replicas"], 4);
  EXPECT_EQ((*through_main)["metadata"]["generation"], 2);

  both = *through_main;
  both["status"] = status;
  both["spec"]["replicas"] = 9;
  const auto through_status = deployments().update(both, {}, {.subresource = "status"});
  ASSERT_TRUE(through_status) << through_status.error().message();
  EXPECT_EQ((*through_status)["status"]["observedGeneration"], 7);
  EXPECT_EQ((*through_status)["spec"]["replicas"], 4);
  EXPECT_EQ((*through_status)["metadata"]["generation"], 2);
}

TEST_P(KubeConformance, ScalesThroughTheSubresource) {
  ASSERT_TRUE(deployments().create(deployment("web"), {}));
  auto scale = deployments().get("web", {}, "scale");
  ASSERT_TRUE(scale) << scale.error().message();
  EXPECT_EQ((*scale)["kind"], "Scale");
  EXPECT_EQ((*scale)["apiVersion"], "autoscaling/v1");
  EXPECT_EQ(text(*scale, {"status", "selector"}), "app=web");
  (*scale)["spec"]["replicas"] = 5;
  ASSERT_TRUE(deployments().update(*scale, {}, {.subresource = "scale"}));
  EXPECT_EQ(deployments().get("web", {}).value()["spec"]["replicas"], 5);
}

TEST_P(KubeConformance, ADryRunChangesNothing) {
  const auto dry = config_maps().create(config_map("a"), {}, {.dry_run = true});
  ASSERT_TRUE(dry) << dry.error().message();
  EXPECT_EQ(error_of(config_maps().get("a", {})).code(), Code::kNotFound);
  const auto real = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(real);
  EXPECT_EQ(error_of(config_maps().create(config_map("a"), {}, {.dry_run = true})).code(), Code::kAlreadyExists);
  EXPECT_TRUE(config_maps().patch("a", PatchType::kMerge, {{"data", {{"value", "9"}}}}, {}, {.dry_run = true}));
  EXPECT_TRUE(config_maps().remove("a", {}, {.dry_run = true}));
  EXPECT_EQ(version(config_maps().get("a", {}).value()), version(*real));
}

TEST_P(KubeConformance, WarnsOfFieldsItDoesNotKnow) {
  json::Json object = config_map("a");
  object["surprise"] = 1;
  Call post{.method = "POST",
            .path = "/api/v1/namespaces/" + name_space_ + "/configmaps",
            .query = {{"fieldValidation", "Warn"}},
            .body = json::dump(object)};
  const auto answer = client_->call(post, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_THAT(answer->warnings, Contains("unknown field \"surprise\""));
  object["metadata"]["name"] = "b";
  const Error strict = error_of(config_maps().create(object, {}, {.field_validation = "Strict"}));
  EXPECT_EQ(status_of(strict).http_status, 400);
  EXPECT_THAT(strict.message(), HasSubstr("strict decoding error: unknown field \"surprise\""));
}

TEST_P(KubeConformance, DeletesOnlyWhatIsMeant) {
  const auto object = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(object);
  const Error other = error_of(config_maps().remove("a", {}, {.uid = "00000000-0000-0000-0000-000000000000"}));
  EXPECT_EQ(other.code(), Code::kConflict) << other.message();
  EXPECT_EQ(error_of(config_maps().remove("a", {}, {.resource_version = "1"})).code(), Code::kConflict);
  EXPECT_TRUE(
      config_maps().remove("a", {}, {.uid = text(*object, {"metadata", "uid"}), .resource_version = version(*object)}));
  EXPECT_EQ(error_of(config_maps().get("a", {})).code(), Code::kNotFound);
}

TEST_P(KubeConformance, AFinalizerHoldsAnObjectUntilItIsTakenOff) {
  json::Json object = config_map("a");
  object["metadata"]["finalizers"] = {"example.com/wait"};
  ASSERT_TRUE(config_maps().create(object, {}));
  const auto going = config_maps().remove("a", {});
  ASSERT_TRUE(going) << going.error().message();
  const auto held = config_maps().get("a", {});
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_FALSE(text(*held, {"metadata", "deletionTimestamp"}).empty());
  EXPECT_EQ(error_of(config_maps().create(object, {})).code(), Code::kAlreadyExists);
  ASSERT_TRUE(config_maps().patch("a", PatchType::kMerge, {{"metadata", {{"finalizers", nullptr}}}}, {}));
  EXPECT_EQ(error_of(config_maps().get("a", {})).code(), Code::kNotFound);
}

TEST_P(KubeConformance, DeletesACollectionBySelector) {
  ASSERT_TRUE(config_maps().create(labelled("a", "keep", "no"), {}));
  ASSERT_TRUE(config_maps().create(labelled("b", "keep", "no"), {}));
  ASSERT_TRUE(config_maps().create(labelled("c", "keep", "yes"), {}));
  const Status removed = config_maps().remove_all({.label_selector = "keep=no"}, {});
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(error_of(config_maps().get("a", {})).code(), Code::kNotFound);
  EXPECT_EQ(error_of(config_maps().get("b", {})).code(), Code::kNotFound);
  EXPECT_TRUE(config_maps().get("c", {}));
}

TEST_P(KubeConformance, TakesNamesThatOnlyRbacHas) {
  const Resource roles(*client_, kClusterRoles);
  const std::string name = "system:conformance:" + name_space_;
  const auto created = roles.create({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                                     {"kind", "ClusterRole"},
                                     {"metadata", {{"name", name}}},
                                     {"rules", json::Json::array()}},
                                    {});
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_TRUE(roles.get(name, {}));
  EXPECT_TRUE(roles.remove(name, {}));
}

TEST_P(KubeConformance, EncodesSecretsAndDefaultsWhatIsLeftOut) {
  const auto secret = resource(kSecrets).create(
      {{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", {{"name", "s"}}}, {"stringData", {{"password", "pass"}}}},
      {});
  ASSERT_TRUE(secret) << secret.error().message();
  EXPECT_EQ(text(*secret, {"data", "password"}), "cGFzcw==");
  EXPECT_EQ(text(*secret, {"type"}), "Opaque");
  EXPECT_FALSE(secret->contains("stringData"));
  const auto web = deployments().create(deployment("web"), {});
  ASSERT_TRUE(web) << web.error().message();
  EXPECT_EQ(text(*web, {"spec", "strategy", "type"}), "RollingUpdate");
  EXPECT_EQ(text(*web, {"spec", "template", "spec", "restartPolicy"}), "Always");
  EXPECT_EQ((*web)["metadata"]["generation"], 1);
}

}  // namespace landfall::kube
