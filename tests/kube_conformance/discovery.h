#pragma once

#include "kube/discovery.h"
#include "kube_conformance/fixture.h"

namespace landfall::kube {

TEST_P(KubeConformance, DiscoversWhatIsServed) {
  const auto found = discover(*client_, {});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(found->failures().empty());
  const ApiResource* pods = found->find_by_word("po");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_TRUE(pods->is_namespaced);
  EXPECT_TRUE(pods->can("list") && pods->can("watch") && pods->can("deletecollection"));
  EXPECT_THAT(pods->categories, testing::Contains("all"));
  EXPECT_THAT(pods->subresources, testing::IsSupersetOf({"status", "log", "exec"}));
  const ApiResource* deployments = found->find_by_word("deploy");
  ASSERT_NE(deployments, nullptr);
  EXPECT_EQ(deployments->id, kDeployments);
  EXPECT_THAT(deployments->subresources, testing::Contains("scale"));
  const ApiResource* nodes = found->find_by_word("nodes");
  ASSERT_NE(nodes, nullptr);
  EXPECT_FALSE(nodes->is_namespaced);
  EXPECT_EQ(found->find_by_word("events")->id.group, "");
  EXPECT_EQ(found->find_by_word("hpa")->id.version, "v2");
  EXPECT_EQ(found->find(k8s::GroupResource{"autoscaling", "horizontalpodautoscalers"})->id.version, "v2");
  EXPECT_NE(found->find(k8s::GroupVersionResource{"autoscaling", "v1", "horizontalpodautoscalers"}), nullptr);
  EXPECT_EQ(found->groups().front().name, "");
}

TEST_P(KubeConformance, OffersTheSameWithoutAggregation) {
  const auto plain = [&](const std::string& path) {
    const auto answer = client_->call({.path = path}, {});
    return answer ? json::parse(answer->body).value() : json::Json{{"error", answer.error().message()}};
  };
  EXPECT_EQ(text(plain("/api"), {"kind"}), "APIVersions");
  EXPECT_EQ(text(plain("/apis"), {"kind"}), "APIGroupList");
  EXPECT_EQ(text(plain("/apis/apps"), {"preferredVersion", "version"}), "v1");
  const json::Json resources = plain("/apis/apps/v1");
  EXPECT_EQ(text(resources, {"kind"}), "APIResourceList");
  EXPECT_EQ(text(resources, {"groupVersion"}), "apps/v1");
  EXPECT_THAT(text(plain("/version"), {"gitVersion"}), testing::StartsWith("v1."));
}

TEST_P(KubeConformance, ServesCustomResources) {
  const auto things = serve_things();
  ASSERT_TRUE(things) << things.error().message();
  DiscoveryCache cache(*client_);
  const ApiResource* found = nullptr;
  std::shared_ptr<const Discovery> newest;
  const SteadyTime deadline = client_->clock().after(std::chrono::seconds(20));
  while (found == nullptr && client_->clock().now() < deadline) {
    newest = cache.refresh({}).value();
    found = newest->find(k8s::GroupVersionKind{group(), "v1", "Thing"});
  }
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->id.resource, "things");
  EXPECT_THAT(found->short_names, testing::ElementsAre("th"));
  EXPECT_THAT(found->subresources, testing::Contains("status"));

  const json::Json thing = {{"apiVersion", group() + "/v1"}, {"kind", "Thing"},
                            {"metadata", {{"name", "one"}}}, {"spec", {{"colour", "red"}}},
                            {"status", {{"phase", "New"}}},  {"free", {{"anything", {1, "two"}}}}};
  auto created = things->create(thing, {});
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ(json::dump((*created)["spec"]), R"({"size":3})") << "defaulted, and what the schema does not know pruned";
  EXPECT_FALSE(created->contains("status"));
  EXPECT_EQ((*created)["free"], thing["free"]);
  EXPECT_EQ((*created)["metadata"]["generation"], 1);
  (*created)["status"] = thing["status"];
  const auto updated = things->update(*created, {}, {.subresource = "status"});
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ((*updated)["status"], thing["status"]);
  EXPECT_EQ((*updated)["metadata"]["generation"], 1);
  const Error wrong = error_of(things->patch("one", PatchType::kMerge, {{"spec", {{"size", "large"}}}}, {}));
  EXPECT_EQ(wrong.code(), Code::kInvalid) << wrong.message();
  EXPECT_EQ(status_of(error_of(things->patch("one", PatchType::kStrategic, json::Json::object(), {}))).http_status,
            415);
  const auto crd = Resource(*client_, kCrds).get("things." + group(), {});
  ASSERT_TRUE(crd);
  EXPECT_THAT(json::dump((*crd)["status"]["conditions"]), testing::HasSubstr("\"Established\""));
  EXPECT_TRUE(Resource(*client_, kCrds).remove("things." + group(), {}));
}

}  // namespace landfall::kube
