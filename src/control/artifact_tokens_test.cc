#include "control/artifact_tokens.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rfc3339.h"

namespace landfall::control {
namespace {

using api::DownloadTarget;

const WallTime kNow = parse_rfc3339("2030-01-01T00:00:00Z").value();

ArtifactGrant grant(const std::string& name = "nightly") {
  return {.target = DownloadTarget::kBackupLog,
          .name = name,
          .location = "default",
          .expires = kNow + std::chrono::minutes(10)};
}

RC_GTEST_PROP(ArtifactTokens, ReadsBackWhatItIssued, (const std::string& bytes, std::uint64_t seed)) {
  SeededRandom random(seed);
  const ArtifactTokens tokens(random);
  // Names come from users; a document holds UTF-8 only.
  std::string name;
  for (const char c : bytes) name += static_cast<char>(c & 0x7F);
  RC_ASSERT(tokens.check(tokens.issue(grant(name)), kNow).value() == grant(name));
}

RC_GTEST_PROP(ArtifactTokens, RefusesATokenOfWhichAnyByteWasChanged, (std::size_t at, char other)) {
  SeededRandom random(1);
  const ArtifactTokens tokens(random);
  std::string token = tokens.issue(grant());
  char& byte = token[at % token.size()];
  RC_PRE(byte != other);
  byte = other;
  const auto checked = tokens.check(token, kNow);
  RC_ASSERT(!checked);
  RC_ASSERT(checked.error() == Error(Code::kForbidden, "this address is not valid, or not any more"));
}

TEST(ArtifactTokens, EndsWithItsTime) {
  SeededRandom random(1);
  const ArtifactTokens tokens(random);
  const std::string token = tokens.issue(grant());
  EXPECT_TRUE(tokens.check(token, grant().expires - std::chrono::nanoseconds(1)));
  EXPECT_FALSE(tokens.check(token, grant().expires));
}

TEST(ArtifactTokens, RefusesThoseOfAnotherProcess) {
  SeededRandom random(1);
  const ArtifactTokens ours(random);
  const ArtifactTokens theirs(random);
  EXPECT_FALSE(ours.check(theirs.issue(grant()), kNow));
  EXPECT_FALSE(ours.check("", kNow));
  EXPECT_FALSE(ours.check(".", kNow));
  EXPECT_FALSE(ours.check(std::string(1 << 20, 'a') + ".", kNow));
}

TEST(ArtifactTokens, SaysNothingThatAUrlWouldHaveToEscape) {
  const ArtifactTokens tokens(system_random());
  EXPECT_EQ(tokens.issue(grant("a/b?c&d\n"))
                .find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789-_."),
            std::string::npos);
}

TEST(DownloadTargets, AreArtifactsOfTheKindThatTheirNameBeginsWith) {
  for (const std::string_view name : api::EnumNames<DownloadTarget>::kValue) {
    const auto target = api::parse_name<DownloadTarget>(name).value();
    const std::string_view expected = name.starts_with("Restore") ? "Restore" : "Backup";
    EXPECT_EQ(kind_of(target).name, expected) << name;
    EXPECT_EQ(is_log(target), name.ends_with("Log")) << name;
  }
}

}  // namespace
}  // namespace landfall::control
