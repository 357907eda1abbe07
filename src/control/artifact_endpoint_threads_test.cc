#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "control/artifact_endpoint.h"
#include "control/restore_files.h"
#include "control/test_cluster.h"
#include "http/test_server.h"
#include "io/gzip_reader.h"
#include "io/gzip_writer.h"

namespace landfall::control {
namespace {

using api::DownloadTarget;
using http::testing::Answer;
using http::testing::TestClient;
using ::testing::HasSubstr;
using ::testing::Not;

std::string zip(std::string_view text) {
  io::StringWriter out;
  io::GzipWriter gzip(out);
  EXPECT_TRUE(gzip.write(text));
  EXPECT_TRUE(gzip.close());
  return out.take();
}

std::string unzip(const std::string& bytes) {
  io::StringReader in(bytes);
  io::GzipReader gzip(in);
  return io::read_all(gzip, std::size_t{64} << 20U).value();
}

struct ArtifactEndpointTest : ::testing::Test {
  ArtifactEndpointTest() { cluster.create_location("default"); }

  void put(const std::string& key, std::string_view bytes) const {
    const std::filesystem::path path = std::filesystem::path(cluster.bucket()) / key;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::string token(DownloadTarget target, const std::string& name, const std::string& location = "default",
                    Duration valid_for = std::chrono::minutes(10)) const {
    return tokens.issue(
        {.target = target, .name = name, .location = location, .expires = system_clock().wall_now() + valid_for});
  }
  static std::string get(const std::string& token, const std::string& more = "") {
    return "GET /artifacts?token=" + token + more + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  Answer ask(const std::string& token, const std::string& more = "") { return server.connect().ask(get(token, more)); }

  std::shared_ptr<operation::RunLog> log = operation::RunLog::create("/tmp", io::LogFormat::kText).value();
  Logger logger{system_clock(), log};
  TestCluster cluster;
  ArtifactTokens tokens{system_random()};
  ArtifactEndpoint endpoint{cluster.context(), tokens, {.followers = 1, .look_every = std::chrono::milliseconds(2)}};
  http::testing::TestServer server{http::Router::make(endpoint.routes()).value()};
};

TEST_F(ArtifactEndpointTest, ServesAnArtifactAsItIsKept) {
  std::string bytes = "not really an archive";
  while (bytes.size() < 1'000'000) bytes += bytes;
  put("backups/nightly/nightly.tar.gz", bytes);
  const Answer answer = ask(token(DownloadTarget::kBackupContents, "nightly"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("Content-Length"), std::to_string(bytes.size()));
  EXPECT_EQ(answer.headers.get("Content-Type"), "application/gzip");
  EXPECT_EQ(answer.headers.get("Content-Encoding"), std::nullopt);
  EXPECT_EQ(answer.headers.get("Content-Disposition"), "attachment; filename=\"nightly.tar.gz\"");
  EXPECT_FALSE(answer.truncated);
  EXPECT_TRUE(answer.body == bytes);
}

TEST_F(ArtifactEndpointTest, ServesArtifactsOfRestores) {
  put("restores/r1/r1-volumeinfo.json.gz", zip("[]"));
  const Answer answer = ask(token(DownloadTarget::kRestoreVolumeInfo, "r1"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(unzip(answer.body), "[]");
}

TEST_F(ArtifactEndpointTest, ServesTheVolumesOfARestoreUnderTheNameThatIsThere) {
  put("restores/r1/r1-vol-info.json", "[1]");
  const Answer plain = ask(token(DownloadTarget::kRestoreVolumeInfo, "r1"));
  EXPECT_EQ(plain.status, 200);
  EXPECT_EQ(plain.body, "[1]");
  EXPECT_EQ(plain.headers.get("Content-Type"), "application/octet-stream");
  EXPECT_EQ(plain.headers.get("Content-Disposition"), "attachment; filename=\"r1-vol-info.json\"");
  put("restores/r1/r1-volumeinfo.json.gz", zip("[2]"));
  const Answer first = ask(token(DownloadTarget::kRestoreVolumeInfo, "r1"));
  EXPECT_EQ(unzip(first.body), "[2]");
  EXPECT_EQ(first.headers.get("Content-Type"), "application/gzip");
  EXPECT_EQ(ask(token(DownloadTarget::kRestoreVolumeInfo, "r2")).status, 404);
}

TEST_F(ArtifactEndpointTest, ServesWhatIsKeptInTheClusterWhereTheLocationIsReadOnly) {
  cluster.create_location("fixed", {{"accessMode", "ReadOnly"}});
  const json::Json restore = cluster.create(api::kRestore, {{"metadata", {{"name", "r1"}}}, {"spec", {}}});
  EXPECT_EQ(ask(token(DownloadTarget::kRestorePlan, "r1", "fixed")).status, 404);
  ASSERT_TRUE(config_map_records_of(cluster.context(), restore)->put("plan", zip("{}\n"), {}));
  const Answer answer = ask(token(DownloadTarget::kRestorePlan, "r1", "fixed"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(unzip(answer.body), "{}\n");
  ASSERT_TRUE(config_map_records_of(cluster.context(), restore)->put("volumeinfo", zip("[]"), {}));
  const Answer volumes = ask(token(DownloadTarget::kRestoreVolumeInfo, "r1", "fixed"));
  EXPECT_EQ(unzip(volumes.body), "[]");
  EXPECT_EQ(volumes.headers.get("Content-Disposition"), "attachment; filename=\"r1-volumeinfo.json.gz\"");
}

TEST_F(ArtifactEndpointTest, RefusesATokenThatIsForgedExpiredOrMissingInOneLine) {
  put("backups/nightly/nightly-logs.gz", zip("a line\n"));
  const ArtifactTokens others(system_random());
  const std::string forged = others.issue(
      {.target = DownloadTarget::kBackupLog, .name = "nightly", .location = "default", .expires = WallTime::max()});
  for (const std::string& bad :
       {forged, token(DownloadTarget::kBackupLog, "nightly", "default", -std::chrono::seconds(1)), std::string()}) {
    const Answer answer = ask(bad);
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(answer.body, "this address is not valid, or not any more\n");
  }
}

TEST_F(ArtifactEndpointTest, SaysNotFoundForWhateverIsNotThere) {
  EXPECT_EQ(ask(token(DownloadTarget::kBackupResults, "nightly")).status, 404);
  const Answer unknown = ask(token(DownloadTarget::kBackupResults, "nightly", ""));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body, HasSubstr("there is no Backup nightly"));
  const Answer gone = ask(token(DownloadTarget::kBackupResults, "nightly", "gone"));
  EXPECT_EQ(gone.status, 404);
  EXPECT_THAT(gone.body, HasSubstr("backup storage location gone"));
}

TEST_F(ArtifactEndpointTest, ReachesNothingOutsideTheFolderOfABackup) {
  put("secret.tar.gz", "secret");
  const Answer answer = ask(token(DownloadTarget::kBackupContents, "../secret"));
  EXPECT_EQ(answer.status, 502);
  EXPECT_THAT(answer.body, Not(HasSubstr("secret.tar")));
}

TEST_F(ArtifactEndpointTest, ServesTheLogOfARunningOperationInTheFormOfTheFinishedOne) {
  const auto running = cluster.running().begin(api::kBackup, "nightly", log, std::stop_source());
  EXPECT_EQ(unzip(ask(token(DownloadTarget::kBackupLog, "nightly")).body), "");
  for (int i = 0; i < 20'000; ++i) logger.info("backing up an item of which the log says a lot", {{"number", i}});
  const Answer answer = ask(token(DownloadTarget::kBackupLog, "nightly"));
  EXPECT_EQ(answer.status, 200);
  const std::string text = unzip(answer.body);
  EXPECT_EQ(std::ranges::count(text, '\n'), 20'000);
  EXPECT_EQ(text, log->read(0, std::size_t{64} << 20U).value());
}

TEST_F(ArtifactEndpointTest, LetsALogBeFollowedUntilTheOperationEnds) {
  std::optional running = cluster.running().begin(api::kRestore, "r1", log, std::stop_source());
  TestClient client = server.connect();
  client.send(get(token(DownloadTarget::kRestoreLog, "r1"), "&follow=true"));
  ASSERT_TRUE(client.read_until("\r\n\r\n"));
  logger.info("first");
  EXPECT_TRUE(client.read_until("first"));
  logger.info("second");
  EXPECT_TRUE(client.read_until("second"));

  EXPECT_EQ(ask(token(DownloadTarget::kRestoreLog, "r1"), "&follow=true").status, 503);  // one at a time, in this test

  logger.info("last");
  running.reset();
  EXPECT_TRUE(client.read_until("last"));
  EXPECT_TRUE(client.read_until("\r\n0\r\n\r\n"));  // the end of the body, not of the connection
}

TEST_F(ArtifactEndpointTest, ShowsThePlainTextOfALogToThoseWhoComeAfterTheEnd) {
  put("backups/nightly/nightly-logs.gz", zip("one\ntwo\n"));
  const Answer answer = ask(token(DownloadTarget::kBackupLog, "nightly"), "&follow=true");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.body, "one\ntwo\n");
  EXPECT_EQ(ask(token(DownloadTarget::kBackupContents, "nightly"), "&follow=true").status, 400);
}

TEST_F(ArtifactEndpointTest, KeepsThreadsFreeWhileClientsDoNotRead) {
  put("backups/nightly/nightly.tar.gz", std::string(std::size_t{16} << 20U, 'x'));
  put("backups/nightly/nightly-results.gz", zip("{}"));
  std::vector<TestClient> slow;
  for (int i = 0; i < 12; ++i) {
    slow.emplace_back(server.server.port(), 4096).send(get(token(DownloadTarget::kBackupContents, "nightly")));
    ASSERT_TRUE(slow.back().read_until("\r\n\r\n"));
  }
  EXPECT_EQ(ask(token(DownloadTarget::kBackupResults, "nightly")).status, 200);
}

TEST_F(ArtifactEndpointTest, WritesNoTokenIntoTheServersLog) {
  const std::string secret = token(DownloadTarget::kBackupResults, "nightly");
  ask(secret);
  ask(token(DownloadTarget::kBackupContents, "../x"));
  EXPECT_TRUE(server.sink->comes("path=/artifacts"));
  EXPECT_FALSE(server.sink->has("token"));
  EXPECT_FALSE(server.sink->has(secret));
}

}  // namespace
}  // namespace landfall::control
