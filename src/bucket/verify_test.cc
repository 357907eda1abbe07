#include "bucket/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive_writer.h"
#include "bucket/test_bucket.h"
#include "io/gzip_writer.h"
#include "io/tar_writer.h"
#include "testkit/temp_dir.h"

namespace landfall::bucket {
namespace {

using extension::BytesSource;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"nodeName":"n1"}})";

std::string archive_of(const std::vector<std::pair<std::string, std::string>>& pods) {
  io::StringWriter out;
  archive::ArchiveWriter writer(out, WallTime{});
  for (const auto& [name, text] : pods) EXPECT_TRUE(writer.add({{"", "pods"}, "v1", true, "shop", name}, text));
  EXPECT_TRUE(writer.close());
  return out.take();
}

class Verify : public testing::Test {
 protected:
  void create(const std::string& archive, const json::Json& list = {{"v1/Pod", {"shop/web"}}}) {
    const std::string encoded = encode(list, Form::kGzipJson);
    const BytesSource contents(archive);
    const BytesSource resources(encoded);
    const Status created =
        bucket_.backups.create("b1", backup_document("b1"),
                               {{BackupArtifact::kContents, contents}, {BackupArtifact::kResourceList, resources}}, {});
    ASSERT_TRUE(created) << created.error().message();
  }
  VerifyReport report() {
    auto made = verify(bucket_.backups, "b1", {.spool_directory = directory_.path()}, {});
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : VerifyReport();
  }
  // The problems of all files, each with its name.
  std::vector<std::string> damage() {
    std::vector<std::string> out;
    const VerifyReport made = report();
    for (const VerifiedFile& file : made.files) {
      for (const std::string& problem : file.problems) out.push_back(file.name + ": " + problem);
    }
    out.insert(out.end(), made.problems.begin(), made.problems.end());
    EXPECT_EQ(out.empty(), made.is_whole());
    return out;
  }

  const testkit::TempDir directory_;
  TestBucket bucket_;
};

TEST_F(Verify, FindsNothingWrongWithOurOwn) {
  create(archive_of({{"web", kPod}}));
  const VerifyReport made = report();
  EXPECT_TRUE(made.is_whole());
  EXPECT_TRUE(made.has_checksums);
  EXPECT_EQ(made.items, 1);
  EXPECT_THAT(made.absent, IsEmpty());
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST_F(Verify, FindsEveryFlippedBit) {
  create(archive_of({{"web", kPod}}));
  for (const std::string& key : bucket_.keys()) {
    const std::string whole = bucket_.get(key);
    std::string broken = whole;
    broken[broken.size() / 2] = static_cast<char>(broken[broken.size() / 2] ^ 1);
    bucket_.put(key, broken);
    EXPECT_THAT(damage(), testing::Not(IsEmpty())) << key;
    bucket_.put(key, whole);
  }
  EXPECT_THAT(damage(), IsEmpty());
}

TEST_F(Verify, FindsTruncatedAndEmptyFiles) {
  create(archive_of({{"web", kPod}}));
  const std::string key = "backups/b1/b1.tar.gz";
  const std::string whole = bucket_.get(key);
  bucket_.put(key, whole.substr(0, whole.size() / 2));
  EXPECT_THAT(damage(), ElementsAre(HasSubstr("b1.tar.gz: "), HasSubstr("were recorded")));
  bucket_.put(key, "");
  EXPECT_THAT(damage(), testing::Not(IsEmpty()));
}

TEST_F(Verify, FindsDamageWithoutChecksumsToo) {
  create(archive_of({{"web", kPod}}));
  ASSERT_TRUE(bucket_.objects.remove(std::vector<std::string>{"backups/b1/b1-checksums.json"}, {}));
  EXPECT_THAT(damage(), IsEmpty());
  const std::string whole = bucket_.get("backups/b1/b1-resource-list.json.gz");
  bucket_.put("backups/b1/b1-resource-list.json.gz", whole.substr(0, whole.size() - 3));
  EXPECT_THAT(damage(), ElementsAre(HasSubstr("b1-resource-list.json.gz")));
}

TEST_F(Verify, FindsMissingFiles) {
  create(archive_of({{"web", kPod}}));
  ASSERT_TRUE(bucket_.objects.remove(
      std::vector<std::string>{"backups/b1/b1.tar.gz", "backups/b1/b1-resource-list.json.gz"}, {}));
  EXPECT_THAT(damage(), ElementsAre("b1.tar.gz is missing", "b1-resource-list.json.gz is missing"));
}

TEST_F(Verify, LooksIntoEveryItem) {
  create(archive_of({{"web", kPod}, {"cut", R"({"kind":)"}, {"other", kPod}, {"bare", "{}"}}));
  EXPECT_THAT(damage(), ElementsAre(HasSubstr("shop/cut.json: this is not JSON"),
                                    HasSubstr("shop/other.json: this is \"web\""), HasSubstr("no kind")));
}

TEST_F(Verify, TellsItemsThatOnlyOneSideHas) {
  create(archive_of({{"web", kPod}}), {{"v1/Pod", {"shop/gone"}}, {"apps/v1/Deployment", {"shop/web"}}});
  const VerifyReport made = report();
  ASSERT_EQ(made.absent.size(), 2U);
  EXPECT_EQ(made.absent[0].kind + " " + made.absent[0].name, "v1/Pod shop/gone");
  EXPECT_THAT(made.unlisted, ElementsAre("v1/Pod shop/web"));
  EXPECT_THAT(made.problems, ElementsAre("2 items are listed, not in the archive, and no error was recorded for them"));
}

TEST_F(Verify, ItemsWithARecordedErrorAreNotLost) {
  create(archive_of({{"web", kPod}}), {{"v1/Pod", {"shop/gone", "shop/web"}}});
  const auto record = [&](const std::string& message) {
    const json::Json results = {{"errors", {{"namespaces", {{"shop", {message}}}}}}};
    bucket_.put("backups/b1/b1-results.gz", encode(results, Form::kGzipJson));
  };
  record(" resource: /pods name: /gone message: /Error error: /x");
  EXPECT_TRUE(report().is_whole());
  EXPECT_THAT(report().absent[0].reason, HasSubstr("error: /x"));
  // The error of another object of that name says nothing about this one, but may be why something is not there.
  record(" resource: /deployments.apps name: /gone message: /Error error: /x");
  EXPECT_EQ(report().absent[0].reason, "");
  EXPECT_TRUE(report().is_whole());
  record(" resource: /pods name: /gone-too message: /Error error: / name: /gone ");
  EXPECT_EQ(report().absent[0].reason, "");
}

TEST_F(Verify, CountsTheArchiveAgainstTheBackup) {
  create(archive_of({{"web", kPod}}));
  json::Json backup = backup_document("b1");
  backup["status"]["progress"]["itemsBackedUp"] = 5;
  ASSERT_TRUE(bucket_.backups.rewrite("b1", backup, {}, {}));
  EXPECT_THAT(report().problems, ElementsAre("the Backup counts 5 items, its resource list names 1",
                                             "the Backup counts 5 items and 0 errors, the archive holds 1"));
  backup["status"]["errors"] = 4;
  ASSERT_TRUE(bucket_.backups.rewrite("b1", backup, {}, {}));
  EXPECT_TRUE(report().is_whole());
}

TEST_F(Verify, LooksIntoTheCopiesOfEveryVersion) {
  io::StringWriter out;
  {
    io::GzipWriter gzip(out);
    io::TarWriter tar(gzip);
    const auto add = [&](const std::string& name, std::string_view text) {
      ASSERT_TRUE(tar.add({.name = name}, text));
    };
    add("resources/pods/namespaces/shop/web.json", kPod);
    add("resources/pods/v1-preferredversion/namespaces/shop/web.json", "garbage");
    ASSERT_TRUE(tar.close());
    ASSERT_TRUE(gzip.close());
  }
  create(out.take());
  EXPECT_THAT(damage(), ElementsAre(HasSubstr("web.json: its copy in v1-preferredversion is another")));
}

TEST_F(Verify, ChecksumsOfANewerVersionAreNoDamage) {
  create(archive_of({{"web", kPod}}));
  bucket_.put("backups/b1/b1-checksums.json", R"({"version":2})");
  EXPECT_TRUE(report().is_whole());
  EXPECT_THAT(report().notes, ElementsAre(HasSubstr("newer version")));
}

TEST_F(Verify, DoesNotBlameTheBackupForTheNetwork) {
  create(archive_of({{"web", kPod}}));
  bucket_.objects.cut_reads(40);
  const auto made = verify(bucket_.backups, "b1", {.spool_directory = directory_.path()}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::kUnavailable);
}

TEST_F(Verify, SaysWhatItDoesNotKnow) {
  create(archive_of({{"web", kPod}}));
  bucket_.put("backups/b1/notes.txt", "x");
  EXPECT_THAT(report().notes, ElementsAre(HasSubstr("notes.txt")));
  const auto none = verify(bucket_.backups, "b2", {.spool_directory = directory_.path()}, {});
  EXPECT_EQ(none.error().code(), Code::kNotFound);
}

TEST_F(Verify, Stops) {
  create(archive_of({{"web", kPod}}));
  std::stop_source stop;
  stop.request_stop();
  const auto made = verify(bucket_.backups, "b1", {.spool_directory = directory_.path()}, stop.get_token());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::bucket
