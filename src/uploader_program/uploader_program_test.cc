#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "uploader_program/last_words.h"
#include "uploader_program/patience.h"
#include "uploader_program/program_access.h"
#include "uploader_program/program_errors.h"
#include "uploader_program/written_bytes.h"

namespace landfall::uploader_program {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(Patience, EndsWhenNothingGetsThroughAnyMore) {
  Patience patience(seconds(5), seconds(1));
  patience.complains("no such host");
  for (int i = 0; i < 4; ++i) patience.tick();
  patience.complains("connection refused");
  EXPECT_FALSE(patience.lost());
  patience.tick();
  EXPECT_EQ(patience.lost(), "connection refused");
}

TEST(Patience, IsNotLostOverAHiccup) {
  Patience patience(seconds(5), seconds(1));
  for (int i = 1; i <= 100; ++i) {
    patience.complains("connection reset");
    for (int second = 0; second < 4; ++second) patience.tick();
    patience.has_done(ByteCount(i));
  }
  EXPECT_FALSE(patience.lost());
  patience.complains("connection reset");
  patience.has_done(ByteCount(100));  // nothing more than before
  for (int second = 0; second < 5; ++second) patience.tick();
  EXPECT_TRUE(patience.lost());
}

TEST(Patience, TakesALongSilenceForSuccess) {
  Patience patience(seconds(120), seconds(1));
  patience.complains("connection reset");
  for (int second = 0; second < 1000; ++second) patience.tick();
  EXPECT_FALSE(patience.lost());
}

TEST(LastWords, KeepsTheEndOnly) {
  LastWords words;
  for (int i = 0; i < 10'000; ++i) words.add("a warning that is said again and again");
  words.add("Fatal: it broke");
  EXPECT_THAT(words.text(), SizeIs(testing::Le(4096U)));
  EXPECT_EQ(words.from_last("Fatal: "), "Fatal: it broke\n");
  EXPECT_EQ(words.from_last("Fatal: never"), words.text());
}

TEST(ProgramErrors, TellAFullDiskFromRefusedKeysAndAnAbsentStore) {
  EXPECT_THAT(storage_error("write /v/big: no space left on device")->message(), HasSubstr("the disk is full"));
  EXPECT_EQ(storage_error("The Access Key Id you provided does not exist in our records.")->code(), Code::kForbidden);
  EXPECT_EQ(storage_error("Access Denied.")->code(), Code::kForbidden);
  EXPECT_EQ(storage_error("dial tcp 127.0.0.1:9: connect: connection refused")->code(), Code::kUnavailable);
  EXPECT_FALSE(storage_error("something else"));
  EXPECT_EQ(plain_error("tool", {.signal = 9}).code(), Code::kUnavailable);
  EXPECT_EQ(plain_error("tool", {.exit_code = 2, .text = "it\nbroke\n"}).message(), "tool ended with 2: it broke");
}

TEST(ProgramErrors, TheCauseAtTheEndOfALongChainIsKept) {
  const std::string line = one_line("restore failed: " + std::string(5000, 'x') + ": connection refused\n");
  EXPECT_LT(line.size(), 620U);
  EXPECT_THAT(line, testing::AllOf(testing::StartsWith("restore failed: "), testing::EndsWith(": connection refused")));
}

TEST(ProgramAccess, OnlyHexadecimalNamesBecomeArguments) {
  EXPECT_TRUE(check_snapshot("0123456789abcdef", "kopia"));
  for (const std::string id : {"", "--help", "latest", "abc;rm", "ABCDEF", "a b"})
    EXPECT_FALSE(check_snapshot(id, "kopia"));
  EXPECT_FALSE(check_snapshot(std::string(65, 'a'), "kopia"));
}

TEST(ProgramAccess, KeysOfABucketAreInTheEnvironment) {
  EXPECT_THAT(storage_environment({.path = "/directory"}), IsEmpty());
  EXPECT_THAT(storage_environment({.s3 = extension::S3Access{.access_key = "id", .secret_key = "k3y"}}),
              UnorderedElementsAre(Pair("AWS_ACCESS_KEY_ID", "id"), Pair("AWS_SECRET_ACCESS_KEY", "k3y")));
}

TEST(ProgramAccess, TheWayToTheStorageIsTakenFromOurEnvironmentAndNothingElse) {
  const Environment ours({{"HTTPS_PROXY", "http://proxy:3128"},
                          {"no_proxy", ".cluster.local"},
                          {"SSL_CERT_FILE", "/etc/ca.pem"},
                          {"AWS_SECRET_ACCESS_KEY", "k3y"},
                          {"HOME", "/root"}});
  EXPECT_THAT(network_environment(ours),
              UnorderedElementsAre(Pair("HTTPS_PROXY", "http://proxy:3128"), Pair("no_proxy", ".cluster.local"),
                                   Pair("SSL_CERT_FILE", "/etc/ca.pem")));
}

TEST(WrittenBytes, AreReadFromTheSystem) {
  EXPECT_EQ(parse_written("rchar: 5\nwchar: 1234\nsyscr: 7\n"), ByteCount(1234));
  EXPECT_FALSE(parse_written("rchar: 5\n"));
  EXPECT_FALSE(parse_written("wchar: -3\n"));
  EXPECT_TRUE(written_by(::getpid()));
}

}  // namespace
}  // namespace landfall::uploader_program
