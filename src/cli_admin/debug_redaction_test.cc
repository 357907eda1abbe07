#include "cli_admin/debug_redaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli_admin/debug_names.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Redaction, TakesSecretsOutOfText) {
  const Redaction redaction;
  const std::vector<std::string> lines = {
      "GET /x Authorization: Bearer LEAK-1234",
      R"(headers={"Authorization":"Basic TEVBSw=="} LEAK)",
      "using Bearer LEAKabcdef now",
      "https://s3.example/b/k?X-Amz-Signature=LEAK&X-Amz-Credential=LEAK",
      "proxy http://me:LEAK@proxy:3128 is used",
      "postgres://u:p@LEAK@host",
      "dsn user:LEAK@tcp(db:3306)/x",
      "posting to https://hooks.slack.com/services/T0/B0/LEAK now",
      "aws_secret_access_key = LEAK/abc+def",
      R"(config "secretKey":"LEAK" read)",
      R"(msg="x" password=LEAK level=info)",
      R"({"password":"two LEAK"} and more)",
      R"(msg="got {\"password\":\"two LEAK\"} back")",
      R"(x {"password":"a\"LEAK"})",
      "--password=abc,LEAK",
      "password: 'my LEAK'",
      "PGPASSWORD='x y LEAK'",
      "PGPASSWORD='x'\"y LEAK\"",
      "--password 'a LEAK'",
      R"(["--password","a LEAK"] was run)",
      "password={LEAK}",
      "DB_PASS=LEAK",
      "resticPass: LEAK",
      "MYSECRET_TYPE=LEAK",
      "passwordFile: LEAK",
      "run --db-pass LEAK",
      "mysql -pLEAK",
      "mysqldump --password LEAK db",
      "curl -u admin:LEAK x",
      "redis-cli -a LEAK",
      "sshpass -p LEAK",
      "export PASS=LEAK",
      "CREATE USER u IDENTIFIED BY 'a LEAK'",
      R"(with password "a \"LEAK" given)",
      R"(env {"name":"DB_PASSWORD","value":"LEAK"} set)",
      "{Name:DB_PASSWORD Value:LEAK ValueFrom:nil}",
      R"(hookCommand="[/bin/sh -c echo LEAK]" hookName=x)",
      "      Command:    /bin/sh -c echo LEAK",
      "key AKIALEAK000000000000 was refused",
      "wJalrXUtnFEMI/K7MDENG/bPxRfiCYLEAKEXAKE2 was refused",
      "token eyJLEAKabcdef.eyJLEAKabc.LEAK",
      "/artifacts?token=LEAK.x",
      "-----BEGIN RSA PRIVATE KEY-----\nLEAK\n-----END RSA PRIVATE KEY-----",
  };
  for (const std::string& line : lines) {
    const std::string clean = redaction.line(line);
    EXPECT_THAT(clean, AllOf(Not(HasSubstr("LEAK")), HasSubstr("<removed>"))) << line;
  }
}

TEST(Redaction, LeavesWhatHelpsToHelp) {
  const Redaction redaction;
  const std::vector<std::string> lines = {
      "backup nightly: 12 items, 3 errors",
      R"(time="2026-05-20T10:01:00Z" level=info msg="Backing up item" backup=velero/nightly name=web-0 namespace=shop)",
      R"(time="2026-05-20T10:01:00Z" level=error msg="restore failed" error="secrets \"db\" is forbidden: User \"system:serviceaccount:velero:velero\" cannot get resource" restore=velero/back)",
      "error getting object store: open /credentials/cloud: no such file or directory",
      "pulled docker.io/velero/velero:v1.18.3@sha256:0123456789abcdef",
      "snapshot source velero@default:/host_pods/12/volumes",
      "commit bb10f3b9d1c2a3b4c5d6e7f8091a2b3c4d5e6f70 built",
      "secretName: cloud-credentials",
      "dial tcp 10.96.0.1:443: connect: connection refused",
      "Phase:  PartiallyFailed (run `velero backup logs nightly` for more information)",
      R"(spec.ttl: Invalid value: "x": must be a duration)",
      "GET https://s3.example:9000/bucket/backups/nightly/velero-backup.json: 403 Forbidden",
  };
  for (const std::string& line : lines) EXPECT_EQ(redaction.line(line), line);
}

TEST(Redaction, LeavesObjectsAsTheyAreButForWhatAnybodyMayFill) {
  const Json object = json::parse(R"({
      "apiVersion": "v1", "kind": "Pod",
      "metadata": {"name": "node-agent-x", "namespace": "velero", "uid": "0f8c1a52-6c1e-4b5e-9d3f-1f2e3d4c5b6a",
        "creationTimestamp": "2026-05-20T10:01:00Z", "labels": {"component": "velero"},
        "annotations": {"velero.io/source-cluster-k8s-gitversion": "v1.34.4"}},
      "spec": {"nodeName": "n1", "automountServiceAccountToken": true,
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}],
        "volumes": [{"name": "cloud-credentials", "secret": {"secretName": "cloud-credentials", "defaultMode": 420}}],
        "credential": {"name": "cloud-credentials", "key": "cloud"},
        "containers": [{"name": "velero", "image": "velero/velero:v1.18.3", "command": ["/velero"],
          "args": ["server", "--features=EnableCSI", "--uploader-type=kopia"],
          "env": [{"name": "AWS_SHARED_CREDENTIALS_FILE", "value": "/credentials/cloud"},
                  {"name": "VELERO_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                  {"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}]},
      "status": {"phase": "Running", "startTime": "2026-05-20T10:01:00Z", "message": "all is well"}})")
                          .value();
  Json clean = object;
  Redaction().object(clean);
  EXPECT_EQ(json::dump_pretty(clean), json::dump_pretty(object));
}

TEST(Redaction, KnowsSecretsByTheWordsInTheirNames) {
  for (const char* name :
       {"DB_PASS", "ENCRYPT_KEY", "GPG_KEY", "CRED", "resticPass", "key", "sseCustomerKey", "proxyAuth",
        "customerKeyEncryption", "vault-pass", "db/pass", "MYSECRET_TYPE", "SECRET_KEY_FILE", "passwordFile",
        "AWSSecretKey2", "apikey", "dbpwd", "PASS2", "connectionString"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"name", "kmsKeyId", "secretName", "keyName", "publicKey", "path", "passed", "keyboard",
                           "author", "backup", "namespace", "sigma"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(Redaction, KeepsPathsToCredentialsButNotCredentials) {
  EXPECT_TRUE(is_kept_variable("AWS_SHARED_CREDENTIALS_FILE", "/credentials/cloud"));
  EXPECT_FALSE(is_kept_variable("AWS_SHARED_CREDENTIALS_FILE", "[default] x=y"));
}

TEST(Redaction, TakesLongHostileLinesInItsStride) {
  const Redaction redaction;
  const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
  for (const std::string piece : {"key={", "key=a'", "key=\\\"", "{\"key\":", "-u a", "@:", "-p ", "{["}) {
    std::string line;
    while (line.size() < (std::size_t{1} << 18U)) line += piece;
    static_cast<void>(redaction.line(line));
  }
  EXPECT_LT(system_clock().now(), deadline);
}

TEST(Redaction, DropsAPrivateKeyThatComesInPieces) {
  const Redaction redaction;
  io::StringWriter out;
  RedactingWriter writer(redaction, out);
  for (const char* piece :
       {"before\n-----BEGIN PRI", "VATE KEY-----\nLE", "AK\nLEAK\n-----END PRIVATE", " KEY-----\n", "after"}) {
    ASSERT_TRUE(writer.write(piece));
  }
  ASSERT_TRUE(writer.close());
  EXPECT_THAT(out.str(), AllOf(HasSubstr("before\n"), HasSubstr("after\n"), Not(HasSubstr("LEAK"))));
}

}  // namespace
}  // namespace landfall::cli
