#include "location/repository_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/encoding.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::location {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RepositoryAccessTest : public testing::Test {
 protected:
  RepositoryAccessTest() {
    put("velero-repo-credentials", "repository-password", "  hunter2\n");
    put("mine", "cloud",
        "[default]\naws_access_key_id=me\naws_secret_access_key=psst\n"
        "[other]\naws_access_key_id=you\naws_secret_access_key=hush\naws_session_token=tok\n");
  }
  void put(const std::string& secret, const std::string& key, const std::string& text) {
    secrets_[secret][key] = base64_encode(text);
  }
  std::string answer(const testkit::ScriptedRequest& request) {
    const std::string missing = testkit::reply(404, R"({"kind":"Status","message":"no such secret","code":404})");
    if (request.method == "POST") {
      const Json made = json::parse(request.body).value();
      if (!secrets_.contains(made["metadata"]["name"])) made_.push_back(made);
      return testkit::reply(201, request.body);
    }
    const auto found = secrets_.find(request.target.substr(request.target.rfind('/') + 1));
    if (found == secrets_.end()) return missing;
    return testkit::reply(200, Json{{"kind", "Secret"}, {"data", found->second}}.dump());
  }
  Result<extension::RepositoryAccess> find(const Json& spec, std::string_view type = "restic",
                                           std::string_view volume_namespace = "shop") {
    const Json location = {{"metadata", {{"name", "default"}, {"namespace", "velero"}}}, {"spec", spec}};
    return repository_access(location, type, volume_namespace, *client_, world_, {});
  }
  std::string error(const Json& spec) {
    const auto found = find(spec);
    return found ? "it was found" : found.error().message();
  }
  static Json s3(const Json& config = Json::object(), const Json& storage = Json::object()) {
    Json spec = {{"provider", "aws"},
                 {"credential", {{"name", "mine"}, {"key", "cloud"}}},
                 {"objectStorage", {{"bucket", "backups"}}},
                 {"config", {{"region", "eu-west-3"}}}};
    spec["config"].update(config);
    spec["objectStorage"].update(storage);
    return spec;
  }

  std::map<std::string, std::map<std::string, std::string>> secrets_;
  std::vector<Json> made_;
  testkit::ScriptedServer server_{
      testkit::ScriptedServer::answering([this](const testkit::ScriptedRequest& request) { return answer(request); })};
  kube::TestClient client_{server_.url()};
  const Environment environment_;
  const World world_{.environment = environment_, .clock = system_clock()};
};

TEST_F(RepositoryAccessTest, IsBesideTheBackupsInABucket) {
  const auto found = find(s3({{"s3Url", "https://minio.example.com:9000/"}}, {{"prefix", "/a/b/"}}));
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_TRUE(found->s3);
  EXPECT_EQ(found->s3->endpoint, "https://minio.example.com:9000");
  EXPECT_EQ(found->s3->bucket, "backups");
  EXPECT_EQ(found->s3->region, "eu-west-3");
  EXPECT_EQ(found->s3->access_key, "me");
  EXPECT_EQ(found->s3->secret_key, "psst");
  EXPECT_EQ(found->s3->session_token, "");
  EXPECT_EQ(found->path, "a/b/restic/shop");
  EXPECT_EQ(found->password, "hunter2") << "without what is around it";
  EXPECT_EQ(found->ca_pem, "");
  EXPECT_FALSE(found->skips_tls_verification);
  EXPECT_EQ(find(s3(), "kopia").value().path, "kopia/shop") << "without a prefix";
}

TEST_F(RepositoryAccessTest, KnowsTheEndpointsOfAws) {
  EXPECT_EQ(find(s3()).value().s3->endpoint, "https://s3.eu-west-3.amazonaws.com");
  EXPECT_EQ(find(s3({{"region", "cn-north-1"}})).value().s3->endpoint, "https://s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(find(s3({{"region", ""}})).value().s3->endpoint, "https://s3.amazonaws.com");
}

TEST_F(RepositoryAccessTest, TakesProfilesAndAuthorities) {
  const Json spec = s3({{"s3Url", "https://host"}, {"profile", "other"}, {"insecureSkipTLSVerify", "true"}},
                       {{"caCert", base64_encode("-----BEGIN CERTIFICATE-----\n")}});
  const auto found = find(spec);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->s3->access_key, "you");
  EXPECT_EQ(found->s3->session_token, "tok");
  EXPECT_EQ(found->ca_pem, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_TRUE(found->skips_tls_verification);
  EXPECT_THAT(error(s3({{"profile", "nobody"}})), AllOf(HasSubstr("nobody"), Not(HasSubstr("psst"))));
}

TEST_F(RepositoryAccessTest, IsInADirectory) {
  Json spec = {{"provider", "velero.io/filesystem"},
               {"objectStorage", {{"bucket", "backups"}, {"prefix", "p"}}},
               {"config", {{"path", "/srv/store/"}}}};
  const auto found = find(spec);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_FALSE(found->s3);
  EXPECT_EQ(found->path, "/srv/store/backups/p/restic/shop");
  spec["config"].erase("path");
  EXPECT_THAT(error(spec), HasSubstr("spec.config.path is missing"));
}

TEST_F(RepositoryAccessTest, SaysWhatItCannotReach) {
  const Json spec = {{"provider", "velero.io/gcp"}, {"objectStorage", {{"bucket", "backups"}}}};
  const auto found = find(spec);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Code::kUnsupported);
  EXPECT_THAT(found.error().message(), AllOf(HasSubstr("backup storage location \"default\""),
                                             HasSubstr("\"velero.io/gcp\""), HasSubstr("aws")));
  secrets_.erase("velero-repo-credentials");
  EXPECT_THAT(error(s3()), AllOf(HasSubstr("password of the repositories"), HasSubstr("velero-repo-credentials")));
}

TEST_F(RepositoryAccessTest, WhatIsNoNamespaceBecomesNoPath) {
  for (const std::string name : {"../other", "..", "", "shop/../other", "/etc", "Shop"}) {
    const auto found = find(s3(), "restic", name);
    ASSERT_FALSE(found) << name << " became " << found->path;
    EXPECT_EQ(found.error().code(), Code::kInvalid);
    EXPECT_THAT(found.error().message(), HasSubstr("is no namespace"));
  }
}

TEST_F(RepositoryAccessTest, APasswordIsMadeOnlyWhereThereIsNone) {
  EXPECT_TRUE(ensure_repository_password(*client_, "velero", {}));
  EXPECT_TRUE(made_.empty());
  secrets_.erase("velero-repo-credentials");
  EXPECT_TRUE(ensure_repository_password(*client_, "velero", {}));
  ASSERT_EQ(made_.size(), 1U);
  EXPECT_EQ(made_[0]["metadata"], (Json{{"name", "velero-repo-credentials"}, {"namespace", "velero"}}));
  EXPECT_EQ(made_[0]["stringData"], (Json{{"repository-password", "static-passw0rd"}}));
}

}  // namespace
}  // namespace landfall::location
