#include "restore/plan_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/utf8.h"

namespace landfall::restore {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string written(const Plan& plan) {
  io::StringWriter out;
  EXPECT_TRUE(write_plan(plan, out));
  return out.take();
}

Result<Plan> read(std::string_view text) {
  io::StringReader from(text);
  return read_plan(from);
}

std::string error_of(std::string_view text, Code code = Code::kDataLoss) {
  const auto plan = read(text);
  if (plan) return "it was read";
  EXPECT_EQ(plan.error().code(), code) << plan.error().message();
  return plan.error().message();
}

Plan small_plan() {
  return {
      .restore = "r1",
      .restore_uid = "u1",
      .backup = "b1",
      .items_in_backup = 4,
      .total_of_backup = 5,
      .namespaces = {{.name = "new", .original = "shop", .is_in_backup = true}},
      .resources = {{.resource = {"", "persistentvolumes"},
                     .version = "v1",
                     .kind = "PersistentVolume",
                     .groups = {{.names = {"pv1"}}}},
                    {.resource = {"apps", "deployments"},
                     .version = "v1",
                     .kind = "Deployment",
                     .is_namespaced = true,
                     .from_version = "v1-preferredversion",
                     .groups = {{.original_namespace = "shop", .target_namespace = "new", .names = {"a", "b"}}}}},
      .not_selected = {
          {.resource = {"", "events"}, .original_namespace = "shop", .reason = "ResourceExcluded", .names = {"e<1>"}}}};
}

const std::string kSmallText =
    R"({"formatVersion":1,"restore":"r1","restoreUID":"u1","backup":"b1","itemsInBackup":4,"backupTotalItems":5,)"
    R"("totalItems":4,"itemsNotSelected":1,"namespaces":[{"name":"new","original":"shop","inBackup":true}],)"
    R"("resources":[{"resource":"persistentvolumes","version":"v1","kind":"PersistentVolume","namespaced":false,)"
    R"("totalItems":1,"itemsByNamespace":{"":[{"targetNamespace":"","name":"pv1"}]}},)"
    R"({"resource":"deployments.apps","version":"v1","kind":"Deployment","namespaced":true,)"
    R"("fromVersion":"v1-preferredversion","totalItems":2,"itemsByNamespace":{"shop":[)"
    R"({"targetNamespace":"new","name":"a"},{"targetNamespace":"new","name":"b"}]}}],)"
    R"("notSelected":[{"reason":"ResourceExcluded","resource":"events","namespace":"shop","names":["e\u003c1\u003e"]}]})"
    "\n";

TEST(PlanDocument, IsWrittenInTheOrderThatIsDocumented) { EXPECT_EQ(written(small_plan()), kSmallText); }

TEST(PlanDocument, OfAPreviewSaysWhatWouldBecomeOfEachItem) {
  Plan plan = small_plan();
  plan.is_preview = true;
  plan.resources[0].groups[0].forecasts = {{Prediction::kConflict, "it differs"}};
  plan.resources[1].groups[0].forecasts = {{Prediction::kCreate, ""}, {Prediction::kSkip, ""}};
  const std::string text = written(plan);
  EXPECT_THAT(text, HasSubstr(R"("backup":"b1","preview":true,)"));
  EXPECT_THAT(text, HasSubstr(R"("name":"pv1","prediction":"conflict","reason":"it differs"})"));
  EXPECT_THAT(text, HasSubstr(R"("name":"a","prediction":"create"})"));
  EXPECT_EQ(read(text), plan);
}

TEST(PlanDocument, IsReadInAnyOrderOfMembersAndWithMembersOfLaterReleases) {
  const auto plan = read(
      R"({"notSelected":[{"names":["e<1>"],"reason":"ResourceExcluded","namespace":"shop","resource":"events"}],
          "later":{"resources":[[{"name":5}]],"restore":7},
          "resources":[
            {"itemsByNamespace":{"":[{"name":"pv1","x":[null]}]},"kind":"PersistentVolume","version":"v1",
             "resource":"persistentvolumes","fromVersion":null},
            {"totalItems":2,"namespaced":true,"kind":"Deployment","fromVersion":"v1-preferredversion","version":"v1",
             "itemsByNamespace":{"empty":[],"shop":[{"name":"a","targetNamespace":"new"},
                                                    {"targetNamespace":"new","name":"b"}]},
             "resource":"deployments.apps"}],
          "namespaces":[{"inBackup":true,"original":"shop","name":"new"}],"itemsNotSelected":1,
          "backupTotalItems":5,"itemsInBackup":4,"backup":"b1","restoreUID":"u1","restore":"r1","formatVersion":1})");
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(*plan, small_plan());
}

TEST(PlanDocument, ThatIsCutOffIsRefusedWhereverThatIs) {
  for (std::size_t length = 0; length < kSmallText.size() - 1; ++length) {
    EXPECT_THAT(error_of(kSmallText.substr(0, length)), StartsWith("read the plan: byte ")) << length;
  }
  EXPECT_TRUE(read(kSmallText.substr(0, kSmallText.size() - 1)));  // all but the line break
}

TEST(PlanDocument, ThatIsNoneIsRefusedWithWhatIsWrong) {
  const auto with = [](std::string_view rest) { return std::string(R"({"formatVersion":1,)") + std::string(rest); };
  EXPECT_THAT(error_of("{}"), HasSubstr("it has no formatVersion"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object, got a list"));
  EXPECT_THAT(error_of(R"({"formatVersion":2})", Code::kUnsupported), HasSubstr("formatVersion 2: a newer release"));
  EXPECT_THAT(error_of(with(R"("restore":5})")), HasSubstr("\"restore\": expected a text, got a number"));
  EXPECT_THAT(error_of(with(R"("itemsInBackup":-1})")), HasSubstr("expected a number, got a number that is no count"));
  EXPECT_THAT(error_of(with(R"("resources":[{"kind":[]}]})")),
              HasSubstr("resources[].\"kind\": expected a text, got a list"));
  EXPECT_THAT(error_of(with(R"("resources":[null]})")), HasSubstr("resources: expected an object, got null"));
  EXPECT_THAT(error_of(with(R"("resources":[{"version":"v1"}]})")), HasSubstr("without a resource"));
  EXPECT_THAT(error_of(with(R"("notSelected":[{"names":[1],"resource":"pods"}]})")),
              HasSubstr("notSelected[].names: expected a text, got a number"));
  EXPECT_THAT(error_of(with(R"("totalItems":1})")), HasSubstr("totalItems says 1, but there are 0"));
  EXPECT_THAT(error_of(with(R"("x":1} {)")), HasSubstr("this is not JSON"));
  EXPECT_THAT(error_of(std::string(R"({"formatVersion":1})") + '\0'), HasSubstr("a NUL byte"));
  const auto with_items = [&](std::string_view items) {
    return with(R"("resources":[{"resource":"pods","version":"v1","kind":"Pod","itemsByNamespace":{"a":)" +
                std::string(items) + "}}]}");
  };
  EXPECT_THAT(error_of(with_items("[{}]")), HasSubstr("without a name"));
  EXPECT_THAT(error_of(with_items("5")), HasSubstr("expected a list, got a number"));
  EXPECT_THAT(error_of(with_items(R"([{"name":"x","prediction":"explode"}])")), HasSubstr("there is no \"explode\""));
  EXPECT_THAT(error_of(with_items(R"([{"name":"x","prediction":"create"},{"name":"y"}])")),
              HasSubstr("have a prediction and others do not"));
}

// Gives the same piece for ever: the reader has to lose patience.
class Endless final : public io::Reader {
 public:
  Endless(std::string head, std::string piece) : rest_(std::move(head)), piece_(std::move(piece)) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    while (rest_.size() < buffer.size()) rest_ += piece_;
    rest_.copy(buffer.data(), buffer.size());
    rest_.erase(0, buffer.size());
    return buffer.size();
  }

 private:
  std::string rest_;
  std::string piece_;
};

// A plan has it before anybody finds out that the cluster does not.
TEST(PlanDocument, HoldsKindsThatTheClusterDoesNotKnow) {
  Plan plan = small_plan();
  plan.resources.push_back({.resource = {"example.com", "widgets"},
                            .is_namespaced = true,
                            .groups = {{.original_namespace = "shop", .target_namespace = "shop", .names = {"w"}}}});
  const std::string text = written(plan);
  io::StringReader reader(text);

  const auto again = read_plan(reader);

  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, plan);
}

TEST(PlanDocument, WithoutAnEndDoesNotTakeAllMemory) {
  const auto error = [](std::string head, std::string piece) {
    Endless endless(std::move(head), std::move(piece));
    const auto plan = read_plan(endless);
    return plan ? "it was read" : plan.error().message();
  };
  EXPECT_THAT(error(R"({"restore":")", "aaaaaaaaaaaaaaaa"), HasSubstr("a text of more than a MiB"));
  EXPECT_THAT(error("", "                "), HasSubstr("a text of more than a MiB"));
  EXPECT_THAT(error(R"({"x":)", "[[[[[[[["), HasSubstr("nested too deep"));
  EXPECT_THAT(error(R"({"notSelected":[{"resource":"pods"})", R"(,{"resource":"pods"})"),
              HasSubstr("the plan is too large"));
}

TEST(PlanDocument, AnErrorOfTheReaderIsNotTakenForTheEnd) {
  class Broken final : public io::Reader {
   public:
    Result<std::size_t> read(std::span<char> buffer) override {
      if (std::exchange(was_read_, true)) return fail(Code::kUnavailable, "connection cut");
      return kSmallText.copy(buffer.data(), 100);
    }

   private:
    bool was_read_ = false;
  };
  Broken broken;
  const auto plan = read_plan(broken);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error(), Error(Code::kUnavailable, "read the plan: connection cut"));
}

std::string any_text() { return to_valid_utf8(*rc::gen::arbitrary<std::string>()); }
std::string any_name() { return *rc::gen::element<std::string>("a", "web-0", "x\n\"<\\", "söhne") + any_text(); }
std::vector<std::string> any_names() {
  return *rc::gen::resize(8, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::exec(any_name))));
}
k8s::GroupResource any_resource() {
  return {*rc::gen::element<std::string>("", "apps", "a.b.c"), *rc::gen::element<std::string>("pods", "söhne")};
}
std::size_t up_to(int count) { return static_cast<std::size_t>(*rc::gen::inRange(0, count)); }

PlannedGroup any_group(bool is_preview) {
  PlannedGroup group{any_text(), any_text(), any_names()};
  for (std::size_t i = 0; is_preview && i < group.names.size(); ++i) {
    group.forecasts.push_back({static_cast<Prediction>(*rc::gen::inRange(0, 6)), any_text()});
  }
  return group;
}

Plan any_plan() {
  Plan plan{.restore = any_text(),
            .restore_uid = any_text(),
            .backup = any_text(),
            .is_preview = *rc::gen::arbitrary<bool>(),
            .items_in_backup = *rc::gen::inRange<std::int64_t>(0, INT64_MAX),
            .total_of_backup = *rc::gen::inRange<std::int64_t>(0, INT64_MAX)};
  for (std::size_t i = up_to(4); i > 0; --i) {
    plan.namespaces.push_back({any_name(), any_text(), *rc::gen::arbitrary<bool>()});
  }
  for (std::size_t i = up_to(4); i > 0; --i) {
    plan.resources.push_back({any_resource(), any_name(), any_name(), *rc::gen::arbitrary<bool>(), any_text(), {}});
    for (std::size_t j = up_to(4); j > 0; --j) plan.resources.back().groups.push_back(any_group(plan.is_preview));
  }
  for (std::size_t i = up_to(4); i > 0; --i) {
    plan.not_selected.push_back({any_resource(), any_text(), any_text(), any_names()});
  }
  return plan;
}

RC_GTEST_PROP(PlanDocument, GivesThePlanBack, ()) {
  const Plan plan = any_plan();
  const auto again = read(written(plan));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == plan);
}

}  // namespace
}  // namespace landfall::restore
