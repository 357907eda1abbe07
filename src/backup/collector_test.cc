#include "backup/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "io/log_sink.h"
#include "json/json.h"
#include "kube/test_client.h"
#include "operation/run_log.h"
#include "selection/test_discovery.h"
#include "testkit/scripted_connection.h"
#include "testkit/scripted_server.h"

namespace landfall::backup {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

kube::Discovery one_kind() {
  std::vector<kube::ApiResource> all = {selection::test_resource("", "v1", "configmaps", "ConfigMap")};
  return kube::Discovery({{.name = "", .versions = {"v1"}}}, std::move(all), {});
}

std::string page(const std::vector<std::string>& names, const std::string& token, std::size_t padding = 0) {
  Json list = {{"kind", "ConfigMapList"},
               {"apiVersion", "v1"},
               {"metadata", {{"resourceVersion", "7"}, {"continue", token}}},
               {"items", Json::array()}};
  for (const std::string& name : names) {
    list["items"].push_back(
        {{"metadata", {{"name", name}, {"namespace", "shop"}}}, {"data", {{"k", std::string(padding, 'x')}}}});
  }
  return reply(200, list.dump());
}

int limit_of(const ScriptedRequest& request) {
  const std::size_t at = request.target.find("limit=");
  return at == std::string::npos ? 0 : std::stoi(request.target.substr(at + 6));
}

class CollectorTest : public ::testing::Test {
 protected:
  std::vector<std::string> collect(const ScriptedServer& server) {
    const kube::TestClient client(server.url(""));
    const kube::Discovery discovery = one_kind();
    const auto filter = selection::BackupFilter::make({}, nullptr, discovery, {{.name = "shop"}}).value();
    ObjectSpool spool(io::SpoolFile::create("/tmp").value());
    Collector collector(*client, filter, spool, Logger().also_to(log_, LogLevel::kDebug),
                        {.page_size = 100, .max_page_bytes = 60'000});
    const auto table = collector.collect(discovery, {});
    if (!table) return {table.error().message()};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < table->size(); ++i) {
      std::string bytes;
      const ItemPlace& place = table->place(i);
      if (!spool.read(place.offset, place.length, bytes)) return {"unreadable"};
      EXPECT_EQ(Json::parse(bytes)["kind"].get<std::string>(), "ConfigMap");
      names.emplace_back(table->name(i).name);
    }
    return names;
  }
  std::shared_ptr<operation::RunLog> log_ = operation::RunLog::create("/tmp", io::LogFormat::kText).value();
};

TEST_F(CollectorTest, AListThatTheServerForgotBeginsAnewWithoutDoubles) {
  std::atomic<int> calls = 0;
  const ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest&) {
    switch (calls++) {
      case 0:
        return page({"a", "gone-meanwhile"}, "more");
      case 1:
        return reply(410, R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})");
      case 2:
        return page({"a", "b"}, "more");
      default:
        return page({"c"}, "");
    }
  }));
  EXPECT_THAT(collect(server), ElementsAre("a", "b", "c"));
  EXPECT_EQ(log_->errors(), 0);
}

TEST_F(CollectorTest, PagesThatAreTooLargeAreAskedForInSmallerPieces) {
  const ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest& request) {
    const bool is_second = request.target.find("continue=") != std::string::npos;
    if (limit_of(request) > 10) return page({"a", "b"}, "", 40'000);
    return is_second ? page({"b"}, "", 40'000) : page({"a"}, "more", 40'000);
  }));
  EXPECT_THAT(collect(server), ElementsAre("a", "b"));
  EXPECT_EQ(log_->errors(), 0);
}

TEST_F(CollectorTest, AListThatFailsIsAnErrorAndKeepsWhatHadCome) {
  std::atomic<int> calls = 0;
  const ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest&) {
    if (calls++ == 0) return page({"a"}, "more");
    return reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"not you"})");
  }));
  EXPECT_THAT(collect(server), ElementsAre("a"));
  EXPECT_EQ(log_->errors(), 1);
  EXPECT_THAT(log_->results().to_json().dump(), HasSubstr("not you"));
}

}  // namespace
}  // namespace landfall::backup
