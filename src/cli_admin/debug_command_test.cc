#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "api/artifact_route.h"
#include "cli/test_cluster.h"
#include "cli_admin/commands.h"
#include "cli_admin/debug_redaction.h"
#include "io/file.h"
#include "io/gzip_reader.h"
#include "io/tar_reader.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What the others would add: commands whose output holds a secret.
void add_some(const Command& root) {
  for (const char* noun : {"backup", "restore"}) {
    const Command group = root.group(noun, "");
    for (const char* verb : {"describe", "logs"}) {
      struct Flags {
        std::string name;
        bool details = false;
      };
      const auto flags = std::make_shared<Flags>();
      const Command command = group.leaf(verb, "");
      command.argument("NAME", flags->name, "");
      command.flag("--details", flags->details, "");
      command.action([flags, noun, verb](const Context& context, const GlobalFlags&) -> Status {
        if (std::string(noun) == "restore" && std::string(verb) == "logs") {
          return fail(Code::kUnavailable, "the bucket is away");
        }
        return context.out.write(std::string(verb) + " of " + flags->name + (flags->details ? " with details" : "") +
                                 "\nAuthorization: Bearer PLANTED-in-log\n");
      });
    }
  }
  add_version_command(root);
  add_debug_command(root, add_some);
}

class Debug : public testing::Test {
 protected:
  std::string path() const { return cluster_.directory().path() / "bundle.tar.gz"; }

  // The files of the bundle, by name.
  std::map<std::string, std::string> unpacked() const {
    std::map<std::string, std::string> files;
    auto file = io::FileReader::open(path()).value();
    io::GzipReader gzip(file);
    io::TarReader tar(gzip);
    while (const io::TarEntry* entry = tar.next().value()) {
      files[entry->name] = io::read_all(tar.content(), std::size_t{1} << 20U).value();
    }
    return files;
  }
  static std::string all_of(const std::map<std::string, std::string>& files) {
    std::string text;
    for (const auto& [name, content] : files) text += name + "\n" + content + "\n";
    return text;
  }
  void create_location(const Json& config) const {
    cluster_.create(api::kBackupStorageLocation,
                    {{"metadata", {{"name", "default"}}},
                     {"spec",
                      {{"provider", "aws"},
                       {"objectStorage", {{"bucket", "b"}, {"caCert", "Q0VSVElGSUNBVEU="}}},
                       {"credential", {{"name", "cloud-credentials"}, {"key", "cloud"}}},
                       {"config", config}}}});
  }

  TestCluster cluster_{add_some};
};

TEST_F(Debug, CollectsEverythingButSecrets) {
  cluster_.create({"", "v1", "secrets"}, "velero",
                  {{"metadata", {{"name", "cloud-credentials"}}}, {"stringData", {{"cloud", "PLANTED-in-secret"}}}});
  create_location({{"region", "eu-1"},
                   {"secretAccessKey", "PLANTED-in-config"},
                   {"storageAccountKeyEnvVar", "PLANTED-account"},
                   {"s3Url", "https://user:PLANTED-in-url@s3.example"}});
  Json request = {{"metadata", {{"name", "ask"}}},
                  {"spec", {{"target", {{"kind", "BackupLog"}, {"name", "nightly"}}}}},
                  {"status", {{"downloadURL", "https://s3.example/b/log.gz?X-Amz-Signature=PLANTED-signature"}}}};
  ASSERT_TRUE(api::set_artifact_route(request, {.pod = "p", .port = 1, .path = "/a", .token = "PLANTED-token"}));
  cluster_.create(api::kDownloadRequest, request);
  const Json container = {{"name", "velero"},
                          {"image", "velero"},
                          {"args", {"server", "--token=PLANTED-in-argument", "--password", "PLANTED-behind-flag"}},
                          {"env",
                           {{{"name", "AWS_SECRET_ACCESS_KEY"}, {"value", "PLANTED-in-variable"}},
                            {{"name", "LD_LIBRARY_PATH"}, {"value", "/plugins"}}}}};
  cluster_.create({"apps", "v1", "deployments"}, "velero",
                  {{"metadata",
                    {{"name", "velero"},
                     {"labels", {{"component", "velero"}}},
                     {"annotations", {{"kubectl.kubernetes.io/last-applied-configuration", "PLANTED-applied"}}}}},
                   {"spec",
                    {{"selector", {{"matchLabels", {{"deploy", "velero"}}}}},
                     {"template",
                      {{"metadata", {{"labels", {{"deploy", "velero"}}}}},
                       {"spec", {{"containers", Json::array({container})}}}}}}}});
  cluster_.create(api::kBackup, {{"metadata", {{"name", "nightly"}}}, {"spec", {{"includedNamespaces", {"shop"}}}}});
  cluster_.create(api::kRestore, {{"metadata", {{"name", "back"}}}, {"spec", {{"backupName", "nightly"}}}});

  const Ran ran = cluster_.run({"debug", "--output", path(), "--backup", "nightly", "--restore", "back"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Generated debug information bundle: " + path() + "\n");
  EXPECT_EQ(std::filesystem::status(path()).permissions(), std::filesystem::perms(0600));

  const auto files = unpacked();
  EXPECT_THAT(all_of(files), Not(HasSubstr("PLANTED")));
  const std::string root = "landfall-bundle/";
  EXPECT_THAT(files.at(root + "objects/backups.velero.io/nightly.yaml"), HasSubstr("- shop"));
  EXPECT_THAT(files.at(root + "objects/backupstoragelocations.velero.io/default.yaml"),
              AllOf(HasSubstr("caCert: Q0VSVElGSUNBVEU="), HasSubstr("region: eu-1"),
                    HasSubstr("name: cloud-credentials"), HasSubstr("secretAccessKey: <removed>")));
  EXPECT_THAT(files.at(root + "objects/downloadrequests.velero.io/ask.yaml"), HasSubstr("https://s3.example/b/log.gz"));
  EXPECT_THAT(files.at(root + "objects/deployments.apps/velero.yaml"),
              AllOf(HasSubstr("AWS_SECRET_ACCESS_KEY"), HasSubstr("/plugins")));
  EXPECT_THAT(files.at(root + "backup_describe_nightly.txt"), HasSubstr("describe of nightly with details\n"));
  EXPECT_THAT(files.at(root + "backup_nightly.log"), HasSubstr("logs of nightly\nAuthorization: <removed>\n"));
  EXPECT_THAT(files.at(root + "version.txt"), HasSubstr("Client:"));
  EXPECT_THAT(files.at(root + "README.txt"),
              AllOf(HasSubstr("Namespace: velero"), HasSubstr("backup_nightly.log"), HasSubstr("Missing:"),
                    HasSubstr("restore logs back: Error: the bucket is away")));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("Missing: restore logs back: "), HasSubstr("Missing: logs of pods: ")));
}

TEST_F(Debug, GoesOnWhenPartsCannotBeHad) {
  cluster_.create(api::kBackup, {{"metadata", {{"name", "nightly"}}}});
  const Ran ran = cluster_.run({"debug", "--output", path(), "--verbose"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("Collecting versions\n"), HasSubstr("Missing: logs of pods: no pod")));
  EXPECT_TRUE(unpacked().contains("landfall-bundle/objects/backups.velero.io/nightly.yaml"));
}

TEST_F(Debug, MakesNoBundleForABackupThatIsNotThere) {
  const Ran ran = cluster_.run({"debug", "--output", path(), "--backup", "nightly"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("Error: --backup: backup \"nightly\" not found"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Debug, CalledAsVeleroWantsItsDeployment) {
  const Ran ran = cluster_.run_as_velero({"debug", "--output", path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "velero: velero deployment does not exist in namespace: velero\n");
}

TEST(Redaction, TakesSecretsOutOfText) {
  const Redaction redaction;
  const std::vector<std::string> lines = {
      "GET /x Authorization: Bearer PLANTED-1234",
      R"(headers={"Authorization":"Basic UExBTlRFRA=="})",
      "using Bearer PLANTEDabcdef now",
      "https://s3.example/b/k?X-Amz-Signature=PLANTED&X-Amz-Credential=PLANTED",
      "proxy http://me:PLANTED@proxy:3128 is used",
      "aws_secret_access_key = PLANTED/abc+def",
      R"(config "secretKey":"PLANTED" read)",
      R"(msg="x" password=PLANTED level=info)",
      "running mysqldump --password PLANTED db",
      "key AKIAPLANTED000000000 was refused",
      "token eyJPLANTEDabc.eyJPLANTEDabc.PLANTED",
      "/artifacts?token=PLANTED.x",
      "-----BEGIN RSA PRIVATE KEY-----\nPLANTED\n-----END RSA PRIVATE KEY-----",
  };
  for (const std::string& line : lines) {
    const std::string clean = redaction.text(line);
    EXPECT_THAT(clean, AllOf(Not(HasSubstr("PLANTED")), Not(HasSubstr("UExBTlRFRA"))));
    EXPECT_THAT(clean, HasSubstr("<removed>")) << line;
  }
  EXPECT_EQ(redaction.text("backup nightly: 12 items, 3 errors"), "backup nightly: 12 items, 3 errors");
}

TEST(Redaction, DropsAPrivateKeyThatComesInPieces) {
  const Redaction redaction;
  io::StringWriter out;
  RedactingWriter writer(redaction, out);
  for (const char* piece :
       {"before\n-----BEGIN PRI", "VATE KEY-----\nPLAN", "TED\nPLANTED\n-----END PRIVATE", " KEY-----\n", "after"}) {
    ASSERT_TRUE(writer.write(piece));
  }
  ASSERT_TRUE(writer.close());
  EXPECT_THAT(out.str(), AllOf(HasSubstr("before\n"), HasSubstr("after\n"), Not(HasSubstr("PLANTED"))));
}

}  // namespace
}  // namespace landfall::cli
