#include "base/result.h"

#include <gtest/gtest.h>

namespace landfall {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) {
    return fail(Code::kInvalid, std::to_string(n) + " is odd");
  }
  return n / 2;
}

Result<int> quarter(int n) {
  TRY_ASSIGN(const int once, "first half", half(n));
  TRY_ASSIGN(int twice, "second half", half(once));
  return twice;
}

Status check(int n) {
  TRY("check", quarter(n));
  return {};
}

TEST(Result, CarriesTheValueThroughTryAssign) { EXPECT_EQ(quarter(12), 3); }

TEST(Result, BuildsTheMessageOutsideIn) {
  const Status status = check(6);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "check: second half: 3 is odd");
  EXPECT_EQ(status.error().code(), Code::kInvalid);
}

TEST(Result, DoesNotBuildTheContextWhenThereIsNoError) {
  int built = 0;
  const auto context = [&] {
    ++built;
    return "context";
  };
  const auto run = [&]() -> Status {
    TRY(context(), half(2));
    return {};
  };
  EXPECT_TRUE(run());
  EXPECT_EQ(built, 0);
}

TEST(Result, AnEmptyContextAddsNothing) {
  EXPECT_EQ(Error(Code::kGone, "expired").with_context("").message(), "expired");
}

struct Remark : ErrorDetail {
  explicit Remark(std::string the_text) : text(std::move(the_text)) {}
  std::string text;
};

TEST(Result, ADetailStaysWithAnErrorThatGetsContext) {
  const Error plain(Code::kGone, "expired");
  const Error error = Error(Code::kGone, "expired", std::make_shared<Remark>("at 7")).with_context("list pods");
  ASSERT_NE(error.detail<Remark>(), nullptr);
  EXPECT_EQ(error.detail<Remark>()->text, "at 7");
  EXPECT_EQ(plain.detail<Remark>(), nullptr);
}

TEST(Result, MapReturnsSomethingThatIsAResultAgain) {
  const Result<int> doubled = half(4).map([](int n) { return n * 10; });
  EXPECT_EQ(doubled, 20);
}

TEST(Code, OnlyPassingFaultsAreRetryable) {
  EXPECT_TRUE(is_retryable(Code::kUnavailable));
  EXPECT_TRUE(is_retryable(Code::kThrottled));
  EXPECT_TRUE(is_retryable(Code::kTimeout));
  EXPECT_FALSE(is_retryable(Code::kInvalid));
  EXPECT_FALSE(is_retryable(Code::kCancelled));
}

}  // namespace
}  // namespace landfall
