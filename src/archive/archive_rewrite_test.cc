#include "archive/archive_rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/test_archives.h"
#include "io/file.h"
#include "io/tar_reader.h"
#include "io/test_support.h"

namespace landfall::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr WallTime kLater = kTestTime + std::chrono::hours(1);

ItemKey pod(std::string name) {
  return {.resource = {"", "pods"}, .version = "v1", .namespace_name = "shop", .name = std::move(name)};
}

Replacement with(ItemKey key, std::string json) {
  return {std::move(key), [json]() -> Result<std::string> { return json; }};
}

struct Rewritten {
  Result<RewriteCounts> counts;
  std::string archive;
};

Rewritten rewrite(std::string_view archive, const std::vector<Replacement>& replacements) {
  io::StringReader reader(archive);
  io::StringWriter sink;
  auto counts = rewrite_archive(reader, replacements, {.written_at = kLater}, sink, {}, {});
  return {std::move(counts), sink.take()};
}

// "name=content", with a star for those that were written now.
std::vector<std::string> list(std::string_view archive) {
  std::vector<std::string> files;
  const std::string tar = gunzip(archive);
  io::StringReader source(tar);
  io::TarReader reader(source);
  for (auto entry = reader.next().value(); entry != nullptr; entry = reader.next().value()) {
    files.push_back((entry->mtime == kLater ? "*" : "") + entry->name + "=" +
                    io::read_all(reader.content(), 1UL << 20U).value());
  }
  return files;
}

const std::string kA = "resources/pods/namespaces/shop/a.json";
const std::string kACopy = "resources/pods/v1-preferredversion/namespaces/shop/a.json";
const std::string kB = "resources/pods/namespaces/shop/b.json";
const std::string kBCopy = "resources/pods/v1-preferredversion/namespaces/shop/b.json";

TEST(ArchiveRewrite, WithoutReplacementsKeepsEveryByteOfVelerosTar) {
  const std::string old =
      io::read_file(std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz",
                    1 << 20)
          .value();
  const Rewritten rewritten = rewrite(old, {});
  ASSERT_TRUE(rewritten.counts) << rewritten.counts.error().message();
  EXPECT_EQ(rewritten.counts->replaced + rewritten.counts->appended, 0);
  EXPECT_GT(rewritten.counts->copied, 100);
  EXPECT_EQ(gunzip(rewritten.archive), gunzip(old));
}

TEST(ArchiveRewrite, ReplacesBothFormsInPlaceAndAppendsTheRest) {
  const std::string old = archive_of(
      {{"metadata/version", "1.1.0\n"}, {kA, "old"}, {kACopy, "old"}, {"strange", "too"}, {kB, "b"}, {kBCopy, "b"}});
  ItemKey beta = pod("a");
  beta.version = "v1beta1";
  beta.is_preferred = false;
  const Rewritten rewritten = rewrite(old, {with(pod("c"), "c"), with(pod("a"), "much longer"), with(beta, "beta")});
  ASSERT_TRUE(rewritten.counts) << rewritten.counts.error().message();
  EXPECT_EQ(rewritten.counts->replaced, 2);
  EXPECT_EQ(rewritten.counts->appended, 3);
  EXPECT_EQ(rewritten.counts->copied, 4);
  EXPECT_THAT(list(rewritten.archive),
              ElementsAre("metadata/version=1.1.0\n", "*" + kA + "=much longer", "*" + kACopy + "=much longer",
                          "strange=too", kB + "=b", kBCopy + "=b", "*resources/pods/namespaces/shop/c.json=c",
                          "*resources/pods/v1-preferredversion/namespaces/shop/c.json=c",
                          "*resources/pods/v1beta1/namespaces/shop/a.json=beta"));
}

TEST(ArchiveRewrite, AppendsTheFormThatIsMissing) {
  const Rewritten rewritten = rewrite(archive_of({{kA, "old"}, {kB, "b"}}), {with(pod("a"), "new")});
  ASSERT_TRUE(rewritten.counts);
  EXPECT_THAT(list(rewritten.archive), ElementsAre("*" + kA + "=new", kB + "=b", "*" + kACopy + "=new"));
}

TEST(ArchiveRewrite, AsksForAReplacementOnlyWhenItsPlaceHasCome) {
  io::StringWriter sink;
  const std::string old = archive_of({{kA, "a"}, {kB, "b"}});
  io::StringReader reader(old);
  std::vector<std::string> events;
  const Replacement replacement{pod("b"), [&]() -> Result<std::string> {
                                  events.emplace_back("asked");
                                  return "new";
                                }};
  const auto counts = rewrite_archive(reader, {&replacement, 1}, {.written_at = kLater}, sink, {},
                                      [&](const ReadProgress& progress) { events.emplace_back(progress.path); });
  ASSERT_TRUE(counts);
  EXPECT_THAT(events, ElementsAre(kA, "asked", kB, "asked"));
}

TEST(ArchiveRewrite, RefusesTwoReplacementsForOnePathAndBadNames) {
  const std::string old = archive_of({});
  const Rewritten twice = rewrite(old, {with(pod("a"), "1"), with(pod("a"), "2")});
  ASSERT_FALSE(twice.counts);
  EXPECT_EQ(twice.counts.error().code(), Code::kAlreadyExists);
  EXPECT_THAT(twice.counts.error().message(), HasSubstr(kA));
  EXPECT_EQ(rewrite(old, {with(pod("../a"), "1")}).counts.error().code(), Code::kInvalid);
}

TEST(ArchiveRewrite, PassesOnWhatGoesWrong) {
  const std::string old = archive_of({{kA, "old"}, {kACopy, "old"}});
  const auto damaged = rewrite(std::string_view(old).substr(0, old.size() - 3), {});
  EXPECT_EQ(damaged.counts.error().code(), Code::kDataLoss);

  const Replacement gone{pod("a"), []() -> Result<std::string> { return fail(Code::kNotFound, "it was deleted"); }};
  const auto failed = rewrite(old, {gone});
  ASSERT_FALSE(failed.counts);
  EXPECT_EQ(failed.counts.error().code(), Code::kNotFound);
  EXPECT_EQ(failed.counts.error().message(), "replacement for \"" + kA + "\": it was deleted");

  io::StringReader reader(old);
  io::FullWriter full(10);
  const auto unwritten = rewrite_archive(reader, {}, {.written_at = kLater}, full, {}, {});
  ASSERT_FALSE(unwritten);
  EXPECT_THAT(unwritten.error().message(), HasSubstr("disk full"));
}

}  // namespace
}  // namespace landfall::archive
