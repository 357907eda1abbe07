#include "server/cluster_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

// An API server that always says the same.
class Saying {
 public:
  Saying(const std::string& status, const std::string& body)
      : server_(ScriptedServer::answering([=](const ScriptedRequest&) {
          return "HTTP/1.1 " + status +
                 "\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" +
                 body;
        })) {}
  kube::Client& client() { return *client_; }

 private:
  ScriptedServer server_;
  kube::TestClient client_{server_.url("")};
};

const std::string kForbidden = R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403})";
const std::string kNotFound = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})";

TEST(ClusterCheck, SaysHowToGoOnWithoutTheNamespace) {
  Saying api("404 Not Found", kNotFound);
  const Status checked = check_namespace(api.client(), "backups", {});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Code::kNotFound);
  EXPECT_THAT(checked.error().message(), AllOf(HasSubstr("\"backups\""), HasSubstr("--namespace")));
}

TEST(ClusterCheck, GoesOnWhereItMayNotLook) {
  Saying api("403 Forbidden", kForbidden);
  EXPECT_TRUE(check_namespace(api.client(), "backups", {}));
  EXPECT_TRUE(check_lease_rights(api.client(), "backups", Logger(), {}));
}

TEST(ClusterCheck, AsksForTheRightToHaveALease) {
  Saying allowed("201 Created", R"({"status":{"allowed":true}})");
  EXPECT_TRUE(check_lease_rights(allowed.client(), "backups", Logger(), {}));

  Saying refused("201 Created", R"({"status":{"allowed":false}})");
  const Status checked = check_lease_rights(refused.client(), "backups", Logger(), {});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Code::kForbidden);
  EXPECT_THAT(checked.error().message(), AllOf(HasSubstr("leases"), HasSubstr("--leader-elect=false")));
}

}  // namespace
}  // namespace landfall::server
