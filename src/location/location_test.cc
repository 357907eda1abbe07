#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/encoding.h"
#include "io/fake_process.h"
#include "json/json.h"
#include "kube/test_client.h"
#include "location/opened_location.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"

namespace landfall::location {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class LocationTest : public testing::Test {
 protected:
  // A server with Secrets and nothing else.
  std::string answer(const testkit::ScriptedRequest& request) const {
    const std::size_t slash = request.target.rfind('/');
    const auto found = secrets_.find(request.target.substr(slash + 1));
    if (found == secrets_.end())
      return testkit::reply(404, R"({"kind":"Status","message":"no such secret","code":404})");
    return testkit::reply(200, Json{{"kind", "Secret"}, {"data", found->second}}.dump());
  }
  Result<std::unique_ptr<OpenedLocation>> open(const Json& spec) {
    const Json location = {{"metadata", {{"name", "default"}, {"namespace", "velero"}}}, {"spec", spec}};
    return open_location(location, *client_, world_, {});
  }
  std::string error(const Json& spec) {
    const auto opened = open(spec);
    return opened ? "it opened" : opened.error().message();
  }
  Json filesystem(Json extra = Json::object()) const {
    Json spec = {{"provider", "filesystem"},
                 {"config", {{"path", directory_.path().string()}}},
                 {"objectStorage", {{"bucket", "backups"}, {"prefix", "/a/b/"}}}};
    spec.merge_patch(extra);
    return spec;
  }

  const testkit::TempDir directory_;
  std::map<std::string, std::map<std::string, std::string>> secrets_;
  testkit::ScriptedServer server_{
      testkit::ScriptedServer::answering([this](const testkit::ScriptedRequest& request) { return answer(request); })};
  kube::TestClient client_{server_.url()};
  const Environment environment_;
  const World world_{.environment = environment_, .clock = system_clock()};
};

TEST_F(LocationTest, OpensADirectoryWithItsPrefix) {
  directory_.write("backups/a/b/backups/b1/velero-backup.json", "{}");
  const auto opened = open(filesystem());
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_THAT((*opened)->backups().backups({}).value(), ElementsAre("b1"));
}

TEST_F(LocationTest, TakesProvidersWithVelerosPrefix) {
  directory_.write("backups/x", "");
  EXPECT_TRUE(open(filesystem({{"provider", "velero.io/filesystem"}})));
  EXPECT_THAT(error(filesystem({{"provider", "gcp"}})), HasSubstr("no driver for the provider \"gcp\""));
}

TEST_F(LocationTest, PrefersWhatIsBuiltInToAPluginUnlessItIsTold) {
  directory_.write("backups/x", "");
  std::vector<std::string> asked;
  World world = world_;
  world.open_plugin_store = [&](const std::string& provider, const Config& /*config*/,
                                const Logger& /*log*/) -> Result<std::unique_ptr<extension::ObjectStore>> {
    asked.push_back(provider);
    return fail(Code::kUnsupported, "there is no plugin for " + provider);
  };
  const Config config = {{"path", directory_.path().string()}, {"bucket", "backups"}};
  EXPECT_TRUE(open_store("filesystem", config, world));
  EXPECT_THAT(asked, testing::IsEmpty());

  const auto unknown = open_store("gcp", config, world);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message(), HasSubstr("built in are aws (S3) and filesystem; there is no plugin"));

  world.plugin_stores = {"velero.io/filesystem"};
  const auto forced = open_store("filesystem", config, world);
  ASSERT_FALSE(forced) << "what is built in does not step in";
  EXPECT_EQ(forced.error().message(), "there is no plugin for velero.io/filesystem");
  EXPECT_THAT(asked, ElementsAre("velero.io/gcp", "velero.io/filesystem"));
}

// The drivers check credentials when they are opened: without them this fails.
TEST_F(LocationTest, TakesCredentialsFromItsSecretOrFromTheInstallersAndLeavesNoFile) {
  const std::string text = base64_encode("[default]\naws_access_key_id=me\naws_secret_access_key=psst\n");
  secrets_["mine"]["key"] = text;
  secrets_["cloud-credentials"]["cloud"] = text;
  Json spec = {{"provider", "aws"},
               {"config", {{"region", "x"}, {"s3Url", "http://127.0.0.1:1"}, {"s3ForcePathStyle", "true"}}},
               {"objectStorage", {{"bucket", "backups"}}}};
  EXPECT_TRUE(open(spec)) << error(spec);
  secrets_["cloud-credentials"]["cloud"] = base64_encode("[nobody]\n");
  EXPECT_THAT(error(spec), HasSubstr("default"));
  spec["credential"] = {{"name", "mine"}, {"key", "key"}};
  EXPECT_TRUE(open(spec)) << error(spec);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(LocationTest, SaysWhatIsWrongWithoutShowingSecrets) {
  EXPECT_THAT(
      error(filesystem({{"credential", {{"name", "cloud"}, {"key", "key"}}}})),
      testing::AllOf(testing::StartsWith("backup storage location \"default\": spec.credential: secret \"cloud\": "),
                     testing::EndsWith("no such secret")));
  secrets_["cloud"]["other"] = "cHNzdA==";
  EXPECT_THAT(error(filesystem({{"credential", {{"name", "cloud"}, {"key", "key"}}}})),
              testing::AllOf(HasSubstr("has no key \"key\""), Not(HasSubstr("psst")), Not(HasSubstr("cHNzdA"))));
  EXPECT_THAT(
      error(filesystem({{"objectStorage", {{"caCert", "YQ=="}, {"caCertRef", {{"name", "x"}, {"key", "y"}}}}}})),
      HasSubstr("caCert and caCertRef cannot both be set"));
  EXPECT_THAT(error(filesystem({{"config", {{"path", 5}}}})), HasSubstr("spec.config.path: expected a text"));
}

TEST_F(LocationTest, RootsAreDirectoriesAndBuckets) {
  directory_.write("store/backups/b1/velero-backup.json", "{}");
  const auto opened = open_root((directory_.path() / "store").string(), world_);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_THAT((*opened)->backups().backups({}).value(), ElementsAre("b1"));
  for (const char* root : {"", "ftp://x/y", "s3://", "/nowhere/at/all", "/"}) {
    EXPECT_FALSE(open_root(root, world_)) << root;
  }
  const Environment environment({{"AWS_REGION", "x"},
                                 {"AWS_ENDPOINT_URL", "http://127.0.0.1:1"},
                                 {"AWS_ACCESS_KEY_ID", "me"},
                                 {"AWS_SECRET_ACCESS_KEY", "psst"}});
  const auto s3 = open_root("s3://backups/prefix", {.environment = environment, .clock = system_clock()});
  ASSERT_TRUE(s3) << s3.error().message();
  EXPECT_EQ((*s3)->backups().layout().backups(), "prefix/backups/");
}

}  // namespace
}  // namespace landfall::location
