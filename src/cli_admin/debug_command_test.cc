#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "api/artifact_route.h"
#include "base/strings.h"
#include "cli/test_cluster.h"
#include "cli_admin/commands.h"
#include "io/file.h"
#include "io/gzip_reader.h"
#include "io/tar_reader.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What those print besides, and fail with.
std::string& printed_by_others() {
  static std::string text;
  return text;
}

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
        if (!printed_by_others().empty()) {
          TRY("", context.out.write(printed_by_others()));
          return std::string(verb) == "logs" ? Status(fail(Code::kUnavailable, "--password=abc,LEAK")) : Status();
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

// Words that hold a secret, in ways that people write them.
std::vector<std::string> leaks() {
  return {R"({"password":"two LEAK"})",
          R"(x {"password":"a\"LEAK"} y)",
          "run --password=abc,LEAK",
          "password: 'my LEAK'",
          "run --password 'a LEAK'",
          "run --db-pass LEAK",
          "password={LEAK}",
          "PGPASSWORD='x y LEAK' psql",
          "mysql -pLEAK",
          "curl -u admin:LEAK http://x",
          "redis-cli -a LEAK ping",
          "sshpass -p LEAK ssh",
          "export PASS=LEAK",
          "postgres://u:p@LEAK@host/db",
          "user:LEAK@tcp(db:3306)/x",
          "https://hooks.slack.com/services/T0/B0/LEAK",
          R"({"name":"DB_PASSWORD","value":"LEAK"})",
          R"(applied {"name":"DB_PASSWORD","value":"LEAK"} there)",
          "note wJalrXUtnFEMI/K7MDENG/bPxRfiCYLEAKEXAKE2"};
}

TEST_F(Debug, LeaksNothingFromWhereverItIsPlanted) {
  Json notes = {{"vault-pass", "LEAK"}, {"db/pass", "LEAK"}, {"example.com/any", "LEAK"}};
  Json config = {{"region", "eu-1"},
                 {"s3Url", "https://u:p@LEAK@s3.example"},
                 {"note", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYLEAKEXAKE2"}};
  for (const char* key :
       {"resticPass", "key", "sseCustomerKey", "customerKeyEncryption", "proxyAuth", "passwordFile"}) {
    config[key] = "LEAK";
  }
  Json env = Json::array({{{"name", "VELERO_NAMESPACE"}, {"value", "velero"}}});
  for (const char* name : {"DB_PASS", "ENCRYPT_KEY", "GPG_KEY", "CRED", "MYSECRET_TYPE", "SECRET_KEY_FILE", "PLAIN"}) {
    env.push_back({{"name", name}, {"value", "LEAK"}});
  }
  Json errors = Json::array();
  Json args = {"server", "--log-level=debug", "--db-pass", "LEAK", "-p", "LEAK"};
  int count = 0;
  for (const std::string& leak : leaks()) {
    const std::string number = std::to_string(++count);
    notes["velero.io/note-" + number] = leak;
    notes["velero.io/list-" + number] = json::dump(Json{{"inner", leak}, {"list", Json::array({leak})}});
    config["own" + number] = leak;
    env.push_back({{"name", "V" + number}, {"value", leak}});
    errors.push_back(leak);
    args.push_back(leak);
    cluster_.create({"", "v1", "events"}, "velero",
                    {{"metadata", {{"name", "e" + number}}},
                     {"involvedObject", {{"kind", "Pod"}, {"namespace", "velero"}, {"name", "p"}}},
                     {"message", leak}});
  }
  notes["pre.hook.backup.velero.io/command"] = R"(["/bin/sh","-c","mysql -pLEAK"])";
  notes["post.hook.backup.velero.io/command"] = "curl -u admin:LEAK";
  create_location(config);
  const Json hook = {{"exec", {{"container", "db"}, {"command", {"/bin/bash", "-c", "echo LEAK", "--keep", "LEAK"}}}}};
  const Json hooks = {{"resources", Json::array({{{"name", "h"}, {"pre", Json::array({hook})}}})}};
  cluster_.create(api::kBackup, {{"metadata", {{"name", "nightly"}, {"annotations", notes}}},
                                 {"spec", {{"includedNamespaces", {"shop"}}, {"hooks", hooks}}},
                                 {"status", {{"phase", "FailedValidation"}, {"validationErrors", errors}}}});
  const Json applied = {{"kubectl.kubernetes.io/last-applied-configuration", "LEAK"}};
  const Json container = {{"name", "velero"}, {"image", "v:1@sha256:ab"}, {"args", args}, {"env", env}};
  cluster_.create({"apps", "v1", "deployments"}, "velero",
                  {{"metadata", {{"name", "velero"}, {"labels", {{"component", "velero"}}}, {"annotations", applied}}},
                   {"spec",
                    {{"selector", {{"matchLabels", {{"deploy", "velero"}}}}},
                     {"template",
                      {{"metadata", {{"labels", {{"deploy", "velero"}}}, {"annotations", applied}}},
                       {"spec", {{"containers", Json::array({container})}}}}}}}});
  printed_by_others() = "Annotations:  vault=LEAK\n              velero.io/a=b\n              more=LEAK\nName: n\n" +
                        join(leaks(), "\n") + "\n";
  const Ran ran = cluster_.run({"debug", "--output", path(), "--backup", "nightly"});
  printed_by_others().clear();
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto files = unpacked();
  for (const auto& [name, content] : files) {
    for (const std::string_view line : split(content, '\n')) {
      EXPECT_FALSE(contains(line, "LEAK")) << name << ": " << line;
    }
  }
  EXPECT_THAT(ran.err, AllOf(Not(HasSubstr("LEAK")), HasSubstr("backup logs nightly")));
  const std::string root = "landfall-bundle/";
  EXPECT_THAT(files.at(root + "objects/deployments.apps/velero.yaml"),
              AllOf(HasSubstr("--log-level=debug"), HasSubstr("- --db-pass\n"), HasSubstr("v:1@sha256:ab"),
                    HasSubstr("value: velero\n"), HasSubstr("- server\n")));
  EXPECT_THAT(files.at(root + "objects/backups.velero.io/nightly.yaml"),
              AllOf(HasSubstr("/bin/bash"), HasSubstr("- --keep\n"), HasSubstr("phase: FailedValidation")));
  EXPECT_THAT(files.at(root + "backup_describe_nightly.txt"), HasSubstr("velero.io/a=b\n"));
}

TEST_F(Debug, ShortensNamesThatNoFileSystemTakes) {
  const std::string name(253, 'n');
  cluster_.create(api::kBackup, {{"metadata", {{"name", name}}}});
  ASSERT_EQ(cluster_.run({"debug", "--output", path(), "--backup", name}).code, 0);
  std::size_t found = 0;
  for (const auto& [entry, content] : unpacked()) {
    for (const std::string_view part : split(entry, '/')) EXPECT_LE(part.size(), 255U);
    if (contains(entry, "nnnn") && entry.ends_with(".yaml")) ++found;
  }
  EXPECT_EQ(found, 1U);
}

TEST_F(Debug, SaysWhatToDoWithoutATemporaryDirectory) {
  const Ran ran = cluster_.run({"debug", "--output", path()},
                               {.environment = Environment({{"HOME", "/"}, {"TMPDIR", "/no/such/place"}})});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("no temporary file can be made in /no/such/place"), HasSubstr("set TMPDIR to"),
                             Not(HasSubstr("spool"))));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Debug, ReplacesAFileOnlyWhenItIsTold) {
  ASSERT_TRUE(io::write_file(path(), "mine"));
  const Ran refused = cluster_.run({"debug", "--output", path()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr(path() + " exists already"), HasSubstr("--force")));
  EXPECT_EQ(io::read_file(path(), 100).value(), "mine");
  EXPECT_EQ(cluster_.run({"debug", "--output", path(), "--force"}).code, 0);
  EXPECT_TRUE(unpacked().contains("landfall-bundle/README.txt"));
}

}  // namespace
}  // namespace landfall::cli
