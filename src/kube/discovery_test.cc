#include "kube/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

const testkit::HeaderList kAggregatedType = {
    {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}};

constexpr std::string_view kCoreAggregated = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[
  {"version":"v1","freshness":"Current","resources":[
    {"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced",
     "singularResource":"pod","verbs":["get","list"],"shortNames":["po"],"categories":["all"],
     "subresources":[{"subresource":"status","verbs":["get"]}]},
    {"resource":"nodes","responseKind":{"kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":["list"]},
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event"}]}]}]})";
constexpr std::string_view kGroupsAggregated = R"({"items":[
  {"metadata":{"name":"apps"},"versions":[
    {"version":"v1","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced",
     "singularResource":"deployment","shortNames":["deploy"]}]},
    {"version":"v1beta1","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"},
     "scope":"Namespaced"},{"resource":"olds","responseKind":{"kind":"Old"},"scope":"Cluster"}]}]},
  {"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","resources":[
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event"}]}]},
  {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}]})";

Discovery aggregated() {
  const ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest& r) {
    return reply(200, r.target == "/api" ? kCoreAggregated : kGroupsAggregated, kAggregatedType);
  }));
  const TestClient client(server.url());
  auto found = discover(*client, {});
  EXPECT_TRUE(found) << found.error().message();
  EXPECT_EQ(server.requests().size(), 2U);
  EXPECT_THAT(server.requests().at(0).header("Accept"), HasSubstr("as=APIGroupDiscoveryList"));
  return *std::move(found);
}

std::string id_of(const ApiResource* resource) {
  return resource == nullptr ? "none" : k8s::to_string(resource->id.group_resource()) + " " + resource->id.version;
}

TEST(Discovery, ReadsAggregatedDocumentsInTwoCalls) {
  const Discovery found = aggregated();
  const ApiResource* pods = found.find(k8s::GroupVersionResource{"", "v1", "pods"});
  ASSERT_NE(pods, nullptr);
  EXPECT_TRUE(pods->is_namespaced);
  EXPECT_TRUE(pods->can("list"));
  EXPECT_FALSE(pods->can("delete"));
  EXPECT_THAT(pods->short_names, ElementsAre("po"));
  EXPECT_THAT(pods->categories, ElementsAre("all"));
  EXPECT_THAT(pods->subresources, ElementsAre("status"));
  EXPECT_FALSE(found.find(k8s::GroupResource{"", "nodes"})->is_namespaced);
  EXPECT_EQ(id_of(found.find(k8s::GroupVersionKind{"apps", "v1beta1", "Old"})), "olds.apps v1beta1");
}

TEST(Discovery, PrefersTheServersFirstVersionThatHasTheKind) {
  const Discovery found = aggregated();
  std::vector<std::string> ids;
  for (const ApiResource* resource : found.preferred()) {
    ids.push_back(id_of(resource));
  }
  EXPECT_THAT(ids, ElementsAre("pods v1", "nodes v1", "events v1", "deployments.apps v1", "olds.apps v1beta1",
                               "events.events.k8s.io v1"));
}

TEST(Discovery, AStaleGroupIsAFailureOfThatGroupAlone) {
  const Discovery found = aggregated();
  ASSERT_EQ(found.failures().size(), 1U);
  EXPECT_EQ(k8s::to_string(found.failures().begin()->first), "metrics.k8s.io/v1beta1");
}

TEST(Discovery, FindsWhatPeopleType) {
  const Discovery found = aggregated();
  for (const char* word :
       {"deployments", "Deployment", "deploy", "deployments.apps", "deployment.v1.apps", "DEPLOY.apps"}) {
    EXPECT_EQ(id_of(found.find_by_word(word)), "deployments.apps v1") << word;
  }
  EXPECT_EQ(id_of(found.find_by_word("deployments.v1beta1.apps")), "deployments.apps v1beta1");
  EXPECT_EQ(id_of(found.find_by_word("events")), "events v1") << "the core group comes first";
  EXPECT_EQ(id_of(found.find_by_word("events.events.k8s.io")), "events.events.k8s.io v1");
  EXPECT_EQ(id_of(found.find_by_word("pods.apps")), "none");
  EXPECT_EQ(id_of(found.find_by_word("")), "none");
}

// An old server without aggregated discovery, with one group whose server hangs and one whose server is broken.
TEST(Discovery, OneBrokenGroupNeitherStallsNorHidesTheOthers) {
  const auto answer = [](const std::string& target) -> std::string {
    if (target == "/api") return R"({"kind":"APIVersions","versions":["v1"]})";
    if (target == "/apis") {
      return R"({"kind":"APIGroupList","groups":[
        {"name":"hangs","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}},
        {"name":"apps","versions":[{"version":"v1beta1"},{"version":"v1"}],"preferredVersion":{"version":"v1"}},
        {"name":"broken","versions":[{"version":"v2"}],"preferredVersion":{"version":"v2"}}]})";
    }
    if (target == "/api/v1") {
      return R"({"kind":"APIResourceList","resources":[
        {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["list"],"shortNames":["po"]},
        {"name":"pods/status","namespaced":true,"kind":"Pod","verbs":["get"]}]})";
    }
    return R"({"kind":"APIResourceList","resources":[{"name":"deployments","namespaced":true,"kind":"Deployment"}]})";
  };
  const ScriptedServer server([&](ScriptedConnection& c) {
    while (const auto request = c.read_request()) {
      if (request->target == "/apis/hangs/v1") {
        c.hold();
        return;
      }
      if (!c.send(request->target == "/apis/broken/v2" ? reply(503, "no") : reply(200, answer(request->target))))
        return;
    }
  });
  const TestClient client(server.url());
  // Long enough for the others, who have no more time than the one that hangs.
  const auto found = discover(*client, {}, std::chrono::seconds(5));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->failures().size(), 2U);
  EXPECT_EQ(found->failures().at({"hangs", "v1"}).code(), Code::kTimeout);
  EXPECT_EQ(id_of(found->find_by_word("deployments")), "deployments.apps v1");
  EXPECT_EQ(id_of(found->find(k8s::GroupVersionResource{"apps", "v1beta1", "deployments"})),
            "deployments.apps v1beta1");
  EXPECT_THAT(found->find_by_word("po")->subresources, ElementsAre("status"));
}

TEST(DiscoveryCache, KeepsTheOldOneWhenTheServerCannotBeAsked) {
  std::atomic<bool> down = false;
  const ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest& r) {
    return down ? reply(403, "no")
                : reply(200, r.target == "/api" ? kCoreAggregated : kGroupsAggregated, kAggregatedType);
  }));
  const TestClient client(server.url());
  DiscoveryCache cache(*client);
  const auto first = cache.get({});
  ASSERT_TRUE(first);
  EXPECT_EQ(cache.get({}).value(), *first) << "asked once";
  down = true;
  EXPECT_FALSE(cache.refresh({}));
  EXPECT_EQ(cache.get({}).value(), *first);
  down = false;
  EXPECT_NE(cache.refresh({}).value(), *first);
}

}  // namespace
}  // namespace landfall::kube
