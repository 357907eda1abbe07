#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "archive/archive_writer.h"
#include "io/spool_file.h"
#include "io/stream.h"
#include "json/access.h"
#include "json/parse.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using json::Json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The only message, of a restore that has one.
std::string only_message(const Json& list, const std::string& name_space) {
  const Json* messages = json::find(list, {"namespaces", name_space});
  EXPECT_TRUE(messages != nullptr && messages->size() == 1) << list;
  return messages == nullptr || messages->empty() ? "" : messages->at(0).get<std::string>();
}

void impatient(restore::RestoreTools& tools) {
  tools.options.resource_timeout = seconds(2);
  tools.options.terminating_timeout = seconds(1);
}

// Bytes of an archive with one item of these contents beside a good one.
std::string archive_bytes(const std::string& contents) {
  io::SpoolFile file = io::SpoolFile::create("/tmp").value();
  archive::ArchiveWriter writer(file, WallTime(seconds(1'767'225'600)));
  const auto key = [](const std::string& name) {
    return archive::ItemKey{.resource = {"", "configmaps"}, .version = "v1", .namespace_name = "shop", .name = name};
  };
  EXPECT_TRUE(writer.add(key("bad"), contents));
  EXPECT_TRUE(writer.add(key("good"), json::dump(config_map("shop", "good"))));
  EXPECT_TRUE(writer.close());
  EXPECT_TRUE(file.close());
  io::SpoolReader reader = file.reader(0, file.size());
  return io::read_all(reader, std::size_t{1} << 24U).value();
}

Result<archive::SpooledArchive> read_archive(const std::string& bytes) {
  io::StringReader reader(bytes);
  return archive::SpooledArchive::read(reader, {.directory = "/tmp"}, {}, {});
}

TEST(Faults, AnItemThatIsNotJsonFailsAloneAndIsNamed) {
  for (const std::string contents : {"{\"apiVersion\":", "[]", "\"text\"", ""}) {
    TestCluster cluster;
    const auto archive = read_archive(archive_bytes(contents));
    ASSERT_TRUE(archive) << archive.error().message();
    const Outcome outcome = restore_all(cluster.client(), *archive, {});
    EXPECT_THAT(only_message(outcome.results.at("errors"), "shop"),
                AllOf(HasSubstr("resources/configmaps/namespaces/shop/bad.json"), HasSubstr("cannot be read")));
    EXPECT_EQ(outcome.last.items.outcomes.failed, 1);
    EXPECT_EQ(outcome.last.items.outcomes.created, 2);
    EXPECT_TRUE(cluster.find("configmaps", "shop", "good"));
  }
}

TEST(Faults, AnItemWithoutMetadataFailsAlone) {
  TestCluster cluster;
  const auto archive = read_archive(archive_bytes(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":7})"));
  ASSERT_TRUE(archive);
  const Outcome outcome = restore_all(cluster.client(), *archive, {});
  EXPECT_THAT(only_message(outcome.results.at("errors"), "shop"), HasSubstr("no metadata"));
  EXPECT_TRUE(cluster.find("configmaps", "shop", "good"));
}

// What an object calls itself must not lead elsewhere than its place in the archive says.
TEST(Faults, AnItemThatClaimsAHostileNameOrNamespaceStaysInItsPlace) {
  TestCluster cluster;
  cluster.make_namespace("prod");
  for (const std::string name : {"../../secrets/x", "a?b", "%2e%2e", ""}) {
    Json object = config_map("prod", name);
    const auto archive = read_archive(archive_bytes(json::dump(object)));
    ASSERT_TRUE(archive);
    const auto outcome = restore_all(cluster.client(), *archive, {.restore_name = "r" + std::to_string(name.size())});
    EXPECT_EQ(outcome.last.items.outcomes.failed, 1) << outcome.results;
    EXPECT_EQ(json::find(outcome.results.at("errors"), {"namespaces", "prod"}), nullptr);
  }
  const auto elsewhere = read_archive(archive_bytes(json::dump(config_map("prod", "bad"))));
  ASSERT_TRUE(elsewhere);
  restore_all(cluster.client(), *elsewhere, {});
  EXPECT_TRUE(cluster.find("configmaps", "shop", "bad"));
  EXPECT_FALSE(cluster.find("configmaps", "prod", "bad"));
}

TEST(Faults, ADamagedArchiveIsRefusedBeforeAnythingHappens) {
  const std::string whole = archive_bytes("{}");
  EXPECT_TRUE(read_archive(whole));
  EXPECT_FALSE(read_archive(whole.substr(0, whole.size() / 2)));
  EXPECT_FALSE(read_archive(whole.substr(0, whole.size() - 4)));
  std::string tampered = whole;
  tampered[whole.size() / 2] = static_cast<char>(tampered[whole.size() / 2] ^ 0x40);
  EXPECT_FALSE(read_archive(tampered));
}

TEST(Faults, AKindThatTheClusterLacksIsAWarningAndTheRestGoesOn) {
  TestCluster cluster;
  const auto archive =
      archive_of(items_of({object_of("example.com/v1", "Widget", "shop", "saw"), config_map("shop", "good")}));
  const Outcome outcome = restore_all(cluster.client(), archive, {});
  EXPECT_EQ(outcome.results.at("errors"), Json::object());
  EXPECT_THAT(only_message(outcome.results.at("warnings"), "shop"),
              AllOf(HasSubstr("widgets.example.com shop/saw"), HasSubstr("no kind Widget in example.com/v1"),
                    HasSubstr("install its definition")));
  EXPECT_EQ(outcome.last.items.outcomes.skipped, 1);
  EXPECT_EQ(outcome.resource_list.at("example.com/v1/Widget"), Json::array({"shop/saw(failed)"}));
  EXPECT_TRUE(cluster.find("configmaps", "shop", "good"));
}

TEST(Faults, AVersionThatIsNotServedIsAnErrorThatNamesTheOneThatIs) {
  TestCluster cluster;
  const auto archive = archive_of(items_of({object_of("apps/v1beta1", "Deployment", "shop", "web")}));
  const Outcome outcome = restore_all(cluster.client(), archive, {});
  EXPECT_THAT(only_message(outcome.results.at("errors"), "shop"),
              AllOf(HasSubstr("apps/v1beta1"), HasSubstr("only v1"), HasSubstr("EnableAPIGroupVersions")));
  EXPECT_EQ(outcome.last.items.outcomes.failed, 1);
}

TEST(Faults, WhatTheServerRefusesIsAnErrorWithTheCauseAndAHint) {
  struct Case {
    int status;
    std::string reason, message, hint;
  };
  for (const Case& one :
       {Case{403, "Forbidden", "configmaps \"bad\" is forbidden: exceeded quota: small", "raise the ResourceQuota"},
        Case{400, "BadRequest", "admission webhook \"no.example.com\" denied the request: no", "resource modifier"},
        Case{422, "Invalid", "ConfigMap \"bad\" is invalid: data: Too long", ""}}) {
    TestCluster cluster;
    Gatekeeper gate(cluster.sandbox(), [&](const testkit::ScriptedRequest& request) -> std::optional<std::string> {
      if (request.method != "POST" || request.body.find("\"bad\"") == std::string::npos) return std::nullopt;
      return refusal(one.status, one.reason, one.message);
    });
    const auto archive = archive_of(items_of({config_map("shop", "bad"), config_map("shop", "good")}));
    const Outcome outcome = restore_all(gate.client(), archive, {});
    EXPECT_THAT(only_message(outcome.results.at("errors"), "shop"),
                AllOf(HasSubstr("ConfigMap shop/bad"), HasSubstr(one.message), HasSubstr(one.hint)));
    EXPECT_EQ(outcome.last.items.outcomes.failed, 1);
    EXPECT_TRUE(cluster.find("configmaps", "shop", "good"));
  }
}

TEST(Faults, StormsOf429And500DelayARestoreAndNothingElse) {
  TestCluster cluster;
  std::vector<Json> objects;
  for (int i = 0; i < 30; ++i) objects.push_back(config_map("shop", "item-" + std::to_string(i)));
  // Some of them are not ours, and stay so, whatever the answers to our attempts.
  cluster.make_namespace("shop");
  for (int i = 0; i < 5; ++i) cluster.make(config_map("shop", "item-" + std::to_string(i), "somebody's"));
  cluster.sandbox().faults().set(
      {.seed = 7, .throttled = 0.05, .throttle_burst = 3, .retry_after_seconds = 0, .failed = 0.1});
  const auto outcome = try_restore(cluster.client(), archive_of(items_of(objects)), {});
  cluster.sandbox().faults().set({});
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->last.items.outcomes.created, 25) << outcome->results;
  EXPECT_EQ(outcome->last.items.outcomes.skipped, 5);
  for (int i = 0; i < 30; ++i) {
    const Json live = cluster.get("configmaps", "shop", "item-" + std::to_string(i));
    EXPECT_EQ(live.at("data").at("key"), i < 5 ? "somebody's" : "x");
  }
}

// The object is made and the answer gets lost: asked again, the server says that it is there.
TEST(Faults, ALostAnswerDoesNotTurnWhatWeMadeIntoAConflict) {
  TestCluster cluster;
  std::atomic<int> lost = 0;
  Gatekeeper gate(cluster.sandbox(), [&](const testkit::ScriptedRequest& request) -> std::optional<std::string> {
    if (request.method != "POST" || request.body.find("\"ConfigMap\"") == std::string::npos || lost++ > 0) {
      return std::nullopt;
    }
    Json object = json::parse(request.body).value();
    cluster.make(object);
    return refusal(504, "Timeout", "the server did not answer in time");
  });
  const Script script{.with_tools = [](restore::RestoreTools& tools) { tools.options.resource_timeout = seconds(60); }};
  const Outcome outcome = restore_all(gate.client(), archive_of(items_of({config_map("shop", "a")})), script);
  EXPECT_GT(lost, 1);
  EXPECT_EQ(outcome.last.items.outcomes.created, 2) << outcome.results;
  EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap"), Json::array({"shop/a(created)"}));
}

TEST(Faults, AnApiServerThatIsRestartedIsWaitedFor) {
  TestCluster cluster;
  std::vector<Json> objects;
  for (int i = 0; i < 20; ++i) objects.push_back(config_map("shop", "item-" + std::to_string(i)));
  std::atomic<int> posts = 0;
  std::atomic<int> late = 0;
  Gatekeeper gate(cluster.sandbox(), [&](const testkit::ScriptedRequest& request) -> std::optional<std::string> {
    if (request.method == "POST") ++posts;
    // From the tenth on nobody answers for a while. Several threads count.
    if (posts < 10 || ++late > 25) return std::nullopt;
    return "";
  });
  const auto outcome = try_restore(gate.client(), archive_of(items_of(objects)), {.workers = 4});
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_GT(late, 25);
  EXPECT_EQ(outcome->last.items.outcomes.created, 21) << outcome->results;
  EXPECT_EQ(outcome->results.at("errors"), Json::object());
}

TEST(Faults, AServerThatStaysAwayFailsTheItemsInTime) {
  TestCluster cluster;
  Gatekeeper gate(cluster.sandbox(), [](const testkit::ScriptedRequest& request) -> std::optional<std::string> {
    if (request.method != "POST" || request.body.find("\"bad\"") == std::string::npos) return std::nullopt;
    return refusal(503, "ServiceUnavailable", "etcd is gone");
  });
  const auto archive = archive_of(items_of({config_map("shop", "bad"), config_map("shop", "good")}));
  const Outcome outcome = restore_all(gate.client(), archive, {.with_tools = impatient});
  EXPECT_THAT(only_message(outcome.results.at("errors"), "shop"),
              AllOf(HasSubstr("ConfigMap shop/bad"), HasSubstr("etcd is gone"), HasSubstr("restore again")));
  EXPECT_TRUE(cluster.find("configmaps", "shop", "good"));
}

TEST(Faults, ANamespaceThatStaysTerminatingIsNamedAndTheOthersGoOn) {
  TestCluster cluster;
  Json stuck = namespace_of("stuck");
  stuck["metadata"]["finalizers"] = Json::array({"example.com/never"});
  stuck["spec"]["finalizers"] = Json::array({"example.com/never"});
  cluster.make(stuck);
  cluster.remove("namespaces", "", "stuck");
  const auto archive =
      archive_of(items_of({config_map("stuck", "a"), config_map("stuck", "b"), config_map("shop", "c")}));
  const Outcome outcome = restore_all(cluster.client(), archive, {.with_tools = impatient});
  EXPECT_THAT(json::dump(outcome.results.at("errors").at("velero")),
              AllOf(HasSubstr("namespace stuck"), HasSubstr("Terminating"), HasSubstr("after 1 s")));
  EXPECT_EQ(outcome.results.at("errors").at("namespaces").at("stuck").size(), 2U);
  EXPECT_EQ(outcome.last.items.outcomes.failed, 3);
  EXPECT_TRUE(cluster.find("configmaps", "shop", "c"));
}

TEST(Faults, ABackupWithoutItemsIsAWarning) {
  TestCluster cluster;
  const Outcome outcome = restore_all(cluster.client(), archive_of({}), {});
  EXPECT_THAT(json::dump(outcome.results.at("warnings")), HasSubstr("holds no items"));
  EXPECT_EQ(outcome.last.items.total, 0);
}

TEST(Faults, AClusterThatCannotBeAskedEndsTheRestoreBeforeItBegins) {
  TestCluster cluster;
  const auto before = cluster.versions();
  Gatekeeper gate(cluster.sandbox(), [](const testkit::ScriptedRequest& request) -> std::optional<std::string> {
    if (request.target.find("/namespaces") == std::string::npos) return std::nullopt;
    return refusal(403, "Forbidden", "namespaces is forbidden");
  });
  const auto outcome = try_restore(gate.client(), archive_of(items_of({config_map("shop", "a")})), {});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message(), HasSubstr("list namespaces"));
  EXPECT_EQ(cluster.versions(), before);
}

}  // namespace
}  // namespace landfall::restore_suite
