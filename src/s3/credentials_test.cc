#include "s3/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/manual_clock.h"
#include "s3/ini.h"
#include "s3/test_support.h"
#include "testkit/temp_dir.h"

namespace landfall::s3 {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;
using testkit::TempDir;

Environment with_variables(std::map<std::string, std::string> variables) { return Environment(std::move(variables)); }

constexpr const char* kFile =
    "# comment\r\n[default]\r\naws_access_key_id = AKIDEFAULT ; inline\r\naws_secret_access_key=se=cr#et\r\n"
    "s3 =\n  addressing_style = path\nregion = eu-west-1\n"
    "[profile other]\nAWS_ACCESS_KEY_ID=AKIOTHER\naws_secret_access_key=other\naws_session_token=token\n"
    "[half]\naws_access_key_id=AKIHALF\n[process]\ncredential_process=/bin/x\n";

TEST(Ini, ReadsSectionsKeysAndComments) {
  const auto file = parse_ini(kFile);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->at("default").at("aws_access_key_id"), "AKIDEFAULT");
  EXPECT_EQ(file->at("default").at("aws_secret_access_key"), "se=cr#et");
  EXPECT_EQ(file->at("default").count("addressing_style"), 0);
  EXPECT_EQ(file->at("default").at("region"), "eu-west-1");
  EXPECT_EQ(file->at("other").at("aws_access_key_id"), "AKIOTHER");
}

TEST(Ini, NamesTheLineButNotWhatIsInIt) {
  for (const char* text : {"[default]\nSECRET", "[default]\n[SECRET", "[default]\n=SECRET"}) {
    const auto file = parse_ini(text);
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message(), AllOf(HasSubstr("line 2"), Not(HasSubstr("SECRET"))));
  }
  EXPECT_THAT(parse_ini("key=SECRET").error().message(), AllOf(HasSubstr("[default]"), Not(HasSubstr("SECRET"))));
}

Result<Credentials> credentials_from(const S3Config& config, const Environment& environment) {
  auto source = make_credentials(config, environment, system_clock());
  if (!source) {
    return tl::unexpected(source.error());
  }
  return (*source)->get({});
}

TEST(Credentials, ComeFromAProfileOfTheFile) {
  const TempDir dir;
  S3Config config;
  config.credentials_file = dir.write("credentials", kFile);
  EXPECT_EQ(credentials_from(config, planted_environment())->access_key_id, "AKIDEFAULT");
  EXPECT_EQ(credentials_from(config, with_variables({{"AWS_PROFILE", "other"}}))->session_token, "token");
  config.profile = "other";
  EXPECT_EQ(credentials_from(config, {})->access_key_id, "AKIOTHER");
}

TEST(Credentials, SayWhatIsWrongWithTheFile) {
  const TempDir dir;
  S3Config config;
  config.credentials_file = dir.write("credentials", kFile);
  const auto error_of = [&](const std::string& profile) {
    config.profile = profile;
    return credentials_from(config, {}).error().message();
  };
  EXPECT_THAT(error_of("none"), AllOf(HasSubstr("\"none\""), HasSubstr("\"other\""), HasSubstr("credentialsFile")));
  EXPECT_THAT(error_of("half"), AllOf(HasSubstr("aws_secret_access_key is missing"), Not(HasSubstr("AKIHALF"))));
  EXPECT_THAT(error_of("process"), HasSubstr("credential_process"));
  config.credentials_file = (dir.path() / "none").string();
  EXPECT_EQ(credentials_from(config, {}).error().code(), Code::kNotFound);
}

TEST(Credentials, PreferTheFileToTheVariables) {
  const TempDir dir;
  const std::string path = dir.write("credentials", kFile);
  EXPECT_EQ(credentials_from({}, planted_environment())->session_token, kPlantedToken);
  EXPECT_EQ(credentials_from({}, with_variables({{"AWS_SHARED_CREDENTIALS_FILE", path},
                                                 {"AWS_ACCESS_KEY_ID", "x"},
                                                 {"AWS_SECRET_ACCESS_KEY", "y"},
                                                 {"AWS_WEB_IDENTITY_TOKEN_FILE", "/none"},
                                                 {"AWS_ROLE_ARN", "r"}}))
                ->access_key_id,
            "AKIDEFAULT");
  EXPECT_THAT(credentials_from({}, with_variables({{"AWS_ACCESS_KEY_ID", "x"}})).error().message(),
              HasSubstr("AWS_SECRET_ACCESS_KEY"));
}

TEST(Credentials, FollowAFileThatChanges) {
  const TempDir dir;
  ManualClock clock;
  S3Config config;
  config.credentials_file = dir.write("credentials", kFile);
  auto source = *make_credentials(config, {}, clock);
  dir.write("credentials", "[default]\naws_access_key_id=NEW\naws_secret_access_key=s\n");
  clock.advance(std::chrono::seconds(2));
  const Credentials fresh = *source->get({});
  EXPECT_EQ(fresh.access_key_id, "NEW");
  // What cannot be read for a moment changes nothing.
  dir.write("credentials", "[default]\n");
  source->refused(fresh);
  EXPECT_EQ(source->get({})->access_key_id, "NEW");
  dir.write("credentials", "[default]\naws_access_key_id=NEWER\naws_secret_access_key=s\n");
  source->refused(fresh);
  EXPECT_EQ(source->get({})->access_key_id, "NEWER");
}

std::string sts_answer(const std::string& action, const std::string& id, const std::string& expires) {
  return reply(200, "<" + action + "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" + action +
                        "Result><Credentials><AccessKeyId>" + id +
                        "</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>" +
                        expires + "</Expiration></Credentials></" + action + "Result></" + action + "Response>");
}

TEST(Credentials, TakeARoleByWebIdentityAndRenewIt) {
  const TempDir dir;
  ManualClock clock;  // 2030-01-01
  const std::string action = "AssumeRoleWithWebIdentity";
  ScriptedServer sts(in_turn({sts_answer(action, "FIRST", "2030-01-01T01:00:00Z"), s3_error(500, "InternalError"),
                              sts_answer(action, "SECOND", "2030-01-01T02:00:00Z"),
                              sts_answer(action, "THIRD", "2030-01-01T03:00:00Z")}));
  const Environment environment = with_variables({{"AWS_WEB_IDENTITY_TOKEN_FILE", dir.write("token", "jwt.text\n")},
                                                  {"AWS_ROLE_ARN", "arn:aws:iam::1:role/r"},
                                                  {"AWS_ROLE_SESSION_NAME", "me"},
                                                  {"AWS_ENDPOINT_URL_STS", sts.url()}});
  auto source = *make_credentials({}, environment, clock);
  EXPECT_EQ(source->get({})->access_key_id, "FIRST");
  EXPECT_EQ(source->get({})->access_key_id, "FIRST");
  ASSERT_EQ(sts.requests().size(), 1);
  EXPECT_EQ(sts.requests()[0].body,
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"
            "&RoleSessionName=me&WebIdentityToken=jwt.text");
  source->refused(*source->get({}));
  std::jthread patience([&] {  // the retry after the 500 waits on the clock
    clock.await_waiters(1);
    clock.advance(std::chrono::seconds(1));
  });
  EXPECT_EQ(source->get({})->access_key_id, "SECOND");
  patience.join();
  clock.advance(std::chrono::minutes(116));
  EXPECT_EQ(source->get({})->access_key_id, "THIRD") << "renewed a few minutes before the end";
}

TEST(Credentials, SayWhyARoleWasNotGiven) {
  const TempDir dir;
  ScriptedServer sts(in_turn({reply(400,
                                    "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>bad jwt.secret"
                                    "</Message></Error><RequestId>R</RequestId></ErrorResponse>")}));
  const Environment environment = with_variables({{"AWS_WEB_IDENTITY_TOKEN_FILE", dir.write("token", "jwt.secret")},
                                                  {"AWS_ROLE_ARN", "arn:r"},
                                                  {"AWS_ENDPOINT_URL_STS", sts.url()}});
  const auto error = credentials_from({}, environment).error();
  EXPECT_EQ(error.code(), Code::kUnauthenticated);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("arn:r"), HasSubstr("trust policy"), Not(HasSubstr("jwt.secret"))));
}

TEST(Credentials, TakeARoleOfAProfileWithTheKeysOfAnother) {
  const TempDir dir;
  ScriptedServer sts(in_turn({sts_answer("AssumeRole", "ASSUMED", "2099-01-01T01:00:00Z")}));
  S3Config config;
  config.credentials_file = dir.write("c",
                                      "[default]\nrole_arn=arn:r\nsource_profile=user\nexternal_id=e\n"
                                      "[user]\naws_access_key_id=AKIUSER\naws_secret_access_key=s\n");
  EXPECT_EQ(credentials_from(config, with_variables({{"AWS_ENDPOINT_URL_STS", sts.url()}}))->access_key_id, "ASSUMED");
  const ScriptedRequest request = sts.requests().at(0);
  EXPECT_THAT(request.header("authorization"), AllOf(HasSubstr("AKIUSER/"), HasSubstr("/us-east-1/sts/")));
  EXPECT_THAT(request.body, HasSubstr("ExternalId=e"));
}

TEST(Credentials, ComeFromTheUsersOwnFileWhenNothingElseIsSet) {
  const testkit::TempDir home;
  home.write(".aws/credentials",
             "[default]\naws_access_key_id=A\naws_secret_access_key=s\n"
             "[work]\naws_access_key_id=W\naws_secret_access_key=s\n");
  const std::string path = home.path().string();
  EXPECT_EQ(credentials_from({}, with_variables({{"HOME", path}}))->access_key_id, "A");
  EXPECT_EQ(credentials_from({}, with_variables({{"HOME", path}, {"AWS_PROFILE", "work"}}))->access_key_id, "W");
  EXPECT_EQ(
      credentials_from({}, with_variables({{"HOME", path}, {"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "s"}}))
          ->access_key_id,
      "E");
}

TEST(Credentials, ComeFromTheInstanceInTheEnd) {
  ScriptedServer metadata(ScriptedServer::answering([](const ScriptedRequest& request) {
    if (request.method == "PUT") {
      return reply(200, "imds-token");
    }
    if (request.header("x-aws-ec2-metadata-token") != "imds-token") {
      return reply(401);
    }
    return request.target.ends_with("/")
               ? reply(200, "role")
               : reply(
                     200,
                     R"({"AccessKeyId":"ASIA","SecretAccessKey":"s","Token":"t","Expiration":"2099-01-01T00:00:00Z"})");
  }));
  const auto found = credentials_from({}, with_variables({{"AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url("")}}));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->access_key_id, "ASIA");
  EXPECT_EQ(found->session_token, "t");
  const auto none = credentials_from({}, with_variables({{"AWS_EC2_METADATA_DISABLED", "true"}}));
  EXPECT_THAT(none.error().message(), HasSubstr("AWS_ACCESS_KEY_ID"));
}

TEST(Credentials, ComeFromTheContainersAgent) {
  const TempDir dir;
  ScriptedServer agent(in_turn({reply(200, R"({"AccessKeyId":"ECS","SecretAccessKey":"s","Token":"t"})")}));
  const auto found = credentials_from(
      {}, with_variables({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.url("/creds")},
                          {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", dir.write("token", "pod-token\n")}}));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->access_key_id, "ECS");
  EXPECT_EQ(agent.requests().at(0).header("authorization"), "pod-token");
  EXPECT_EQ(credentials_from({}, with_variables({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/"}}))
                .error()
                .code(),
            Code::kInvalid);
}

}  // namespace
}  // namespace landfall::s3
