#include "kube/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "json/json.h"
#include "json/parse.h"
#include "kube/raw_list.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

const k8s::GroupVersionResource kPods{"", "v1", "pods"};
const k8s::GroupVersionResource kDeployments{"apps", "v1", "deployments"};

std::string page(const std::vector<std::string>& names, const std::string& next, const std::string& version = "7") {
  json::Json list = {{"kind", "PodList"},
                     {"apiVersion", "v1"},
                     {"metadata", {{"resourceVersion", version}, {"continue", next}}},
                     {"items", json::Json::array()}};
  for (const std::string& name : names) {
    list["items"].push_back({{"metadata", {{"name", name}}}, {"unknownField", {1, 2}}});
  }
  return reply(200, json::dump(list));
}

std::string expired() {
  return reply(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"The provided continue is too old"})");
}

// A server that answers each request by its target, and what was asked.
struct Answering {
  explicit Answering(std::function<std::string(const std::string& target)> answer)
      : server(ScriptedServer::answering([answer](const ScriptedRequest& r) { return answer(r.target); })),
        client(server.url()) {}
  std::vector<std::string> asked() const {
    std::vector<std::string> all;
    for (const ScriptedRequest& request : server.requests()) {
      all.push_back(request.method + " " + request.target);
    }
    return all;
  }
  ScriptedServer server;
  TestClient client;
};

std::vector<std::string> names_of(const ObjectList& list) {
  std::vector<std::string> names;
  for (const json::Json& item : list.items) {
    names.push_back(item["metadata"]["name"].get<std::string>());
  }
  return names;
}

TEST(Resource, EachVerbIsTheRightRequest) {
  const Answering api([](const std::string&) { return reply(200, R"({"extra":{"kept":1.0},"kind":"Pod"})"); });
  const Resource deployments(*api.client, kDeployments, "shop");
  const json::Json object = {{"metadata", {{"name", "web"}}}, {"unknown", 1}};
  EXPECT_EQ(json::dump(deployments.get("web", {}).value()), R"({"extra":{"kept":1.0},"kind":"Pod"})");
  EXPECT_TRUE(deployments.get("web", {}, "scale"));
  EXPECT_TRUE(deployments.create(object, {}, {.dry_run = true, .field_manager = "m", .field_validation = "Strict"}));
  EXPECT_TRUE(deployments.update(object, {}, {.subresource = "status"}));
  EXPECT_TRUE(deployments.patch("web", PatchType::kJson, json::Json::array(), {}));
  EXPECT_TRUE(deployments.patch("web", PatchType::kMerge, object, {}));
  EXPECT_TRUE(deployments.patch("web", PatchType::kStrategic, object, {}));
  EXPECT_TRUE(deployments.patch("web", PatchType::kApply, object, {}, {.field_manager = "m", .force = true}));
  EXPECT_TRUE(deployments.remove(
      "web", {},
      {.propagation = Propagation::kForeground, .grace_period_seconds = 0, .uid = "u", .resource_version = "9"}));
  EXPECT_TRUE(Resource(*api.client, kPods).in("a").remove_all({.label_selector = "x in (y)"}, {}));
  const std::string base = "/apis/apps/v1/namespaces/shop/deployments";
  EXPECT_THAT(api.asked(), ElementsAre("GET " + base + "/web", "GET " + base + "/web/scale",
                                       "POST " + base + "?dryRun=All&fieldManager=m&fieldValidation=Strict",
                                       "PUT " + base + "/web/status", "PATCH " + base + "/web",
                                       "PATCH " + base + "/web", "PATCH " + base + "/web",
                                       "PATCH " + base + "/web?fieldManager=m&force=true", "DELETE " + base + "/web",
                                       "DELETE /api/v1/namespaces/a/pods?labelSelector=x%20in%20%28y%29"));
  const auto requests = api.server.requests();
  EXPECT_EQ(requests[2].body, json::dump(object));
  EXPECT_EQ(requests[4].header("Content-Type"), "application/json-patch+json");
  EXPECT_EQ(requests[5].header("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(requests[6].header("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(requests[7].header("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(json::parse(requests[8].body).value(),
            (json::Json{{"apiVersion", "v1"},
                        {"kind", "DeleteOptions"},
                        {"propagationPolicy", "Foreground"},
                        {"gracePeriodSeconds", 0},
                        {"preconditions", {{"uid", "u"}, {"resourceVersion", "9"}}}}));
}

TEST(Resource, ANameThatIsAPathGoesNowhere) {
  const Answering api([](const std::string&) { return reply(200, "{}"); });
  const Resource pods(*api.client, kPods, "a");
  EXPECT_FALSE(pods.get("../secrets/x", {}));
  EXPECT_FALSE(pods.get("", {}));
  EXPECT_FALSE(pods.in("..").remove_all({}, {}));
  EXPECT_TRUE(api.asked().empty());
}

TEST(ResourceList, ReadsAllPagesAndTypesTheItems) {
  const Answering api([](const std::string& target) {
    return target.find("continue=two") != std::string::npos ? page({"c"}, "") : page({"a", "b"}, "two");
  });
  const auto list = Resource(*api.client, kPods).list({.field_selector = "spec.nodeName=n", .page_size = 2}, {});
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_THAT(names_of(*list), ElementsAre("a", "b", "c"));
  EXPECT_EQ(list->resource_version, "7");
  EXPECT_EQ(list->items[0]["kind"], "Pod");
  EXPECT_EQ(json::dump(list->items[0]["unknownField"]), "[1,2]");
  EXPECT_THAT(api.asked(), ElementsAre("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn&limit=2",
                                       "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn&limit=2&continue=two"));
}

TEST(ResourceList, StartsOverWhenTheVersionIsForgotten) {
  std::atomic<int> asked = 0;
  const Answering api([&](const std::string& target) {
    const int turn = ++asked;
    if (turn == 2) return expired();
    return target.find("continue=") != std::string::npos ? page({"b"}, "", "9") : page({"a"}, "next");
  });
  const auto list = Resource(*api.client, kPods).list({}, {});
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_THAT(names_of(*list), ElementsAre("a", "b"));

  const Answering forgetful([](const std::string& target) {
    return target.find("continue=") != std::string::npos ? expired() : page({"a"}, "next");
  });
  const auto never = Resource(*forgetful.client, kPods).list({}, {});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code(), Code::kGone);
  EXPECT_EQ(forgetful.asked().size(), 12U);
}

TEST(ResourceList, GivesUpOnAListThatDoesNotEnd) {
  const Answering repeating([](const std::string&) { return page({"a"}, "same"); });
  const auto repeated = Resource(*repeating.client, kPods).list({}, {});
  ASSERT_FALSE(repeated);
  EXPECT_EQ(repeated.error().code(), Code::kDataLoss);
  EXPECT_THAT(repeated.error().message(), HasSubstr("the list does not end"));

  std::atomic<int> pages = 0;
  const Answering endless([&](const std::string&) { return page({"a", "b", "c"}, std::to_string(++pages)); });
  const auto all = Resource(*endless.client, kPods).list({.max_items = 100}, {});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), Code::kTooLarge);
  EXPECT_EQ(pages, 34);
}

TEST(Resource, AnAnswerThatIsNotJsonIsDamagedData) {
  for (const std::string body : {"", "{\"items\":[", "<html>", "{} {}", "{\"a\":\xff}"}) {
    const Answering api([&](const std::string&) { return reply(200, body); });
    const auto object = Resource(*api.client, kPods, "a").get("b", {});
    ASSERT_FALSE(object) << body;
    EXPECT_EQ(object.error().code(), Code::kDataLoss);
    EXPECT_THAT(object.error().message(), HasSubstr("GET /api/v1/namespaces/a/pods/b: the answer cannot be read"));
    EXPECT_FALSE(Resource(*api.client, kPods).list({}, {}));
    EXPECT_FALSE(RawList(Resource(*api.client, kPods), {}).next({}));
  }
  const Answering api([&](const std::string&) { return reply(200, R"({"kind":"PodList","items":[7]})"); });
  EXPECT_THAT(Resource(*api.client, kPods).list({}, {}).error().message(), HasSubstr("not a list of objects"));
}

TEST(RawList, HandsOutPagesAndSaysWhenItStartedOver) {
  std::atomic<int> asked = 0;
  const Answering api([&](const std::string& target) {
    if (++asked == 2) return expired();
    return target.find("continue=") != std::string::npos ? page({"b", "c"}, "") : page({"a"}, "next");
  });
  RawList list(Resource(*api.client, kPods), {.page_size = 1});
  std::vector<std::string> names;
  while (true) {
    auto next = list.next({});
    ASSERT_TRUE(next) << next.error().message();
    if (!next->page) break;
    if (next->started_over) names.emplace_back("again");
    for (const RawItem& item : next->page->items()) names.emplace_back(item.name);
  }
  EXPECT_THAT(names, ElementsAre("a", "again", "a", "b", "c"));
}

}  // namespace
}  // namespace landfall::kube
