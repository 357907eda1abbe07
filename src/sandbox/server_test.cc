#include "sandbox/server.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/access.h"
#include "sandbox/test_client.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using testing::Reply;
using testing::TestSandbox;

constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

std::string map_named(const std::string& name, const std::string& more = "") {
  return R"({"metadata":{"name":")" + name + "\"" + more + "}}";
}

TEST(Sandbox, LetsNobodyInWithoutAToken) {
  TestSandbox box;
  box.token = "wrong";
  const Reply refused = box.get("/api/v1/pods");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.body["reason"], "Unauthorized");
  EXPECT_EQ(box.get("/healthz").text, "ok");
  EXPECT_EQ(box.get("/version").body["minor"], "34");
}

TEST(Sandbox, AcceptsTheTokensItIssues) {
  TestSandbox box;
  box.post("/api/v1/namespaces/default/serviceaccounts", map_named("robot"));
  const Reply issued = box.post("/api/v1/namespaces/default/serviceaccounts/robot/token", R"({"spec":{}})");
  ASSERT_EQ(issued.status, 201);
  box.token = issued.body["status"]["token"].get<std::string>();
  const Reply me = box.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  EXPECT_EQ(me.body["status"]["userInfo"]["username"], "system:serviceaccount:default:robot");
}

TEST(Sandbox, DiscoversWhatItServes) {
  TestSandbox box;
  const Reply all = box.call("GET", "/apis", "", "",
                             "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json");
  EXPECT_EQ(all.body["kind"], "APIGroupDiscoveryList");
  EXPECT_EQ(box.get("/apis/apps/v1").body["kind"], "APIResourceList");
  const Reply unknown = box.get("/apis/none.example/v1/things");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.text, "404 page not found\n");
}

TEST(Sandbox, CreatesReadsChangesAndDeletes) {
  TestSandbox box;
  const Reply created = box.post(kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  ASSERT_EQ(created.status, 201);
  const std::string version = created.body["metadata"]["resourceVersion"];
  EXPECT_FALSE(created.body["metadata"]["uid"].get<std::string>().empty());
  EXPECT_EQ(box.post(kMaps, map_named("a")).body["reason"], "AlreadyExists");
  EXPECT_EQ(box.get(std::string(kMaps) + "/a").body, created.body);

  const Reply same = box.merge(std::string(kMaps) + "/a", R"({"data":{"k":"v"}})");
  EXPECT_EQ(same.body["metadata"]["resourceVersion"], version) << "a change of nothing is no change";
  const Reply stale = box.call("PUT", std::string(kMaps) + "/a", map_named("a", R"(,"resourceVersion":"1")"));
  EXPECT_EQ(stale.status, 409);
  EXPECT_EQ(stale.body["reason"], "Conflict");
  const Reply changed = box.call("PATCH", std::string(kMaps) + "/a", R"([{"op":"add","path":"/data/l","value":"w"}])",
                                 "application/json-patch+json");
  EXPECT_EQ(changed.body["data"]["l"], "w");

  EXPECT_EQ(box.call("DELETE", std::string(kMaps) + "/a?dryRun=All").status, 200);
  EXPECT_EQ(box.call("DELETE", std::string(kMaps) + "/a").body["status"], "Success");
  EXPECT_EQ(box.get(std::string(kMaps) + "/a").status, 404);
}

TEST(Sandbox, RefusesBadObjectsWithTheServersCauses) {
  TestSandbox box;
  const Reply invalid = box.post(kMaps, map_named("Not_a_name"));
  EXPECT_EQ(invalid.status, 422);
  EXPECT_EQ(invalid.body["details"]["causes"][0]["field"], "metadata.name");
  EXPECT_EQ(box.post(kMaps, "{\"metadata\":").status, 400);
  EXPECT_EQ(box.post(kMaps, "[]").status, 400);
  EXPECT_EQ(box.post(kMaps, R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}})").status, 400);
  EXPECT_EQ(box.post("/api/v1/namespaces/nowhere/configmaps", map_named("a")).body["details"]["kind"], "namespaces");
  const Reply twice =
      box.post(std::string(kMaps) + "?fieldValidation=Strict", R"({"metadata":{"name":"a"},"data":{"x":"1","x":"2"}})");
  EXPECT_EQ(twice.status, 400);
  EXPECT_NE(twice.text.find("duplicate field"), std::string::npos);
  EXPECT_EQ(box.call("POST", kMaps, "{}", "text/plain").status, 415);
  EXPECT_EQ(box.post(kMaps, std::string((3U << 20U) + 1, ' ')).status, 413);
}

TEST(Sandbox, PagesAreOneStateOfTheList) {
  TestSandbox box;
  for (const char* name : {"a", "b", "c", "d"}) box.post(kMaps, map_named(name));
  const Reply first = box.get(std::string(kMaps) + "?limit=3");
  ASSERT_EQ(first.body["items"].size(), 3U);
  EXPECT_EQ(first.body["metadata"]["remainingItemCount"], 1);
  box.post(kMaps, map_named("e"));
  box.call("DELETE", std::string(kMaps) + "/d");
  const std::string token = first.body["metadata"]["continue"];
  const Reply second = box.get(std::string(kMaps) + "?limit=3&continue=" + token);
  ASSERT_EQ(second.body["items"].size(), 1U);
  EXPECT_EQ(second.body["items"][0]["metadata"]["name"], "d");
  EXPECT_EQ(second.body["metadata"]["resourceVersion"], first.body["metadata"]["resourceVersion"]);
  EXPECT_FALSE(second.body["items"][0].contains("kind"));
}

TEST(Sandbox, AListOfAFewLargeObjectsIsWhole) {
  TestSandbox box;
  const std::string large = std::string(40'000, 'x');
  for (const char* name : {"a", "b", "c"}) {
    box.post(kMaps, R"({"metadata":{"name":")" + std::string(name) + R"("},"data":{"k":")" + large + "\"}}");
  }
  EXPECT_EQ(box.get(kMaps).body["items"].size(), 3U);
}

TEST(Sandbox, FinalizersHoldAnObjectBack) {
  TestSandbox box;
  box.post(kMaps, map_named("a", R"(,"finalizers":["x.io/y"])"));
  const Reply marked = box.call("DELETE", std::string(kMaps) + "/a");
  EXPECT_TRUE(marked.body["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(box.get(std::string(kMaps) + "/a").status, 200);
  EXPECT_EQ(box.merge(std::string(kMaps) + "/a", R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(box.get(std::string(kMaps) + "/a").status, 404);
}

TEST(Sandbox, ANamespaceStopsTakingContentWhenItIsDeleted) {
  TestSandbox box;
  box.post("/api/v1/namespaces", map_named("shop"));
  EXPECT_EQ(box.call("DELETE", "/api/v1/namespaces/shop").body["status"]["phase"], "Terminating");
  const Reply refused = box.post("/api/v1/namespaces/shop/configmaps", map_named("a"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body["details"]["causes"][0]["reason"], "NamespaceTerminating");
  const Reply finalized = box.call("PUT", "/api/v1/namespaces/shop/finalize", map_named("shop"));
  EXPECT_EQ(finalized.status, 200);
  EXPECT_EQ(box.get("/api/v1/namespaces/shop").status, 404);
  EXPECT_EQ(box.call("DELETE", "/api/v1/namespaces/default").status, 403);
}

TEST(Sandbox, ServicesGetAddressesThatNobodyElseHas) {
  TestSandbox box;
  const std::string services = "/api/v1/namespaces/default/services";
  const auto service = [](const std::string& name, const std::string& spec) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + R"("ports":[{"port":80}]}})";
  };
  const Reply first = box.post(services, service("a", R"("type":"NodePort",)"));
  ASSERT_EQ(first.status, 201) << first.text;
  const std::string address = first.body["spec"]["clusterIP"];
  EXPECT_EQ(address.substr(0, 6), "10.96.");
  EXPECT_GE(first.body["spec"]["ports"][0]["nodePort"].get<int>(), 30000);
  const Reply taken = box.post(services, service("b", R"("clusterIP":")" + address + "\","));
  EXPECT_EQ(taken.status, 422);
  EXPECT_EQ(taken.body["details"]["causes"][0]["field"], "spec.clusterIPs");
  EXPECT_EQ(box.post(services, service("c", R"("clusterIP":"192.0.2.1",)")).status, 422);
  box.call("DELETE", services + "/a");
  EXPECT_EQ(box.post(services, service("b", R"("clusterIP":")" + address + "\",")).status, 201);
}

TEST(Sandbox, PodsAreBoundScaledAndGoWithGrace) {
  TestSandbox box;
  const std::string pods = "/api/v1/namespaces/default/pods";
  box.post(pods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(box.post(pods + "/p/binding", R"({"target":{"name":"node-1"}})").status, 201);
  EXPECT_EQ(box.post(pods + "/p/binding", R"({"target":{"name":"node-2"}})").status, 409);
  EXPECT_EQ(box.call("DELETE", pods + "/p").body["metadata"]["deletionGracePeriodSeconds"], 30);
  EXPECT_EQ(box.call("DELETE", pods + "/p?gracePeriodSeconds=0").status, 200);
  EXPECT_EQ(box.get(pods + "/p").status, 404);
}

TEST(Sandbox, ScaleWritesTheReplicasAlone) {
  TestSandbox box;
  const std::string sets = "/apis/apps/v1/namespaces/default/deployments";
  box.post(sets, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
    "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_EQ(box.get(sets + "/d/scale").body["status"]["selector"], "a=b");
  EXPECT_EQ(box.merge(sets + "/d/scale", R"({"spec":{"replicas":4}})").body["spec"]["replicas"], 4);
  const Json now = box.get(sets + "/d").body;
  EXPECT_EQ(now["spec"]["replicas"], 4);
  EXPECT_EQ(now["metadata"]["generation"], 2);
}

TEST(Sandbox, AppliesOnTheServerSide) {
  TestSandbox box;
  const std::string url = std::string(kMaps) + "/a?fieldManager=";
  const std::string type = "application/apply-patch+yaml";
  const std::string object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"1\"}\n";
  EXPECT_EQ(box.call("PATCH", url + "me", object, type).status, 201);
  EXPECT_EQ(box.call("PATCH", url + "me", object, type).status, 200);
  const std::string other = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"2"}})";
  EXPECT_EQ(box.call("PATCH", url + "you", other, type).status, 409);
  EXPECT_EQ(box.call("PATCH", url + "you&force=true", other, type).body["data"]["x"], "2");
  EXPECT_EQ(box.call("PATCH", std::string(kMaps) + "/a", other, type).status, 422) << "a manager must be named";
}

TEST(Sandbox, WatchesBeginWithWhatIsThereAndEndInTime) {
  TestSandbox box;
  box.post(kMaps, map_named("a"));
  const Reply watched = box.get(std::string(kMaps) +
                                "?watch=1&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true"
                                "&resourceVersionMatch=NotOlderThan");
  ASSERT_EQ(watched.status, 200);
  EXPECT_NE(watched.text.find(R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap")"), std::string::npos);
  EXPECT_NE(watched.text.find("k8s.io/initial-events-end"), std::string::npos);
}

TEST(Sandbox, AWatchFromBeforeTheHistoryIsToldSo) {
  TestSandbox box({.limits = {.history_changes = 2}});
  for (const char* name : {"a", "b", "c", "d"}) box.post(kMaps, map_named(name));
  const Reply watched = box.get(std::string(kMaps) + "?watch=1&resourceVersion=1");
  EXPECT_EQ(watched.body["type"], "ERROR");
  EXPECT_EQ(watched.body["object"]["code"], 410);
  EXPECT_EQ(watched.body["object"]["reason"], "Expired");
}

TEST(Sandbox, FaultsAreSwitchedAtRunTime) {
  TestSandbox box;
  EXPECT_EQ(box.post("/sandbox/faults", R"({"throttled":1,"retryAfterSeconds":7})").status, 200);
  const Reply throttled = box.get("/api/v1/pods");
  EXPECT_EQ(throttled.status, 429);
  EXPECT_EQ(throttled.headers.get("Retry-After"), "7");
  EXPECT_EQ(box.post("/sandbox/faults", R"({"failed":1})").status, 200);
  EXPECT_EQ(box.get("/api/v1/pods").status, 500);
  EXPECT_EQ(box.post("/sandbox/faults", R"({"failed":2})").status, 400);
  EXPECT_EQ(box.post("/sandbox/faults", "{}").status, 200);
  EXPECT_EQ(box.get("/api/v1/pods").status, 200);
}

}  // namespace
}  // namespace landfall::sandbox
