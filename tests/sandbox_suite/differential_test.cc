// What the differential test takes for equal, and what it does not.

#include "sandbox_suite/differential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/parse.h"
#include "sandbox_suite/normalise.h"

namespace landfall::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string text(std::string_view body, const std::string& sent = "", const std::string& run = "r1") {
  return json::dump(normalised(body, {.sent = sent, .run = run}));
}

TEST(Normalise, TakesAwayWhatServersChoose) {
  EXPECT_EQ(text(R"({"metadata":{"uid":"0b59c51b-c54a-4a7e-a9bf-ebc88a982394","resourceVersion":"12",
                     "creationTimestamp":"2024-01-02T03:04:05Z","continue":"abc"}})"),
            R"({"metadata":{"continue":"<continue>","creationTimestamp":"<time>","resourceVersion":"<version>",)"
            R"("uid":"<uid>"}})");
  EXPECT_EQ(text(R"({"clusterIP":"10.96.1.2","ports":[{"nodePort":30001}]})"),
            R"({"clusterIP":"<ip>","ports":[{"nodePort":"<port>"}]})");
  EXPECT_EQ(text(R"({"message":"version in record (878). Then \"resourceVersion\":\"985\""})"),
            R"({"message":"version in record (<version>). Then \"resourceVersion\":\"<version>\""})");
  EXPECT_EQ(text(R"({"cells":["web","3m5s","80:31000/TCP"]})"), R"({"cells":["web","<age>","80:<port>/TCP"]})");
  EXPECT_EQ(text(R"(["diff-r1-x"])"), R"(["diff-<run>-x"])");
}

TEST(Normalise, KeepsWhatTheClientSaid) {
  const std::string sent = R"({"clusterIP":"10.96.1.2","time":"2024-01-02T03:04:05Z","nodePort":30001})";
  EXPECT_EQ(text(R"({"clusterIP":"10.96.1.2","nodePort":30001,"time":"2024-01-02T03:04:05Z"})", sent),
            R"({"clusterIP":"10.96.1.2","nodePort":30001,"time":"2024-01-02T03:04:05Z"})");
  EXPECT_EQ(text(R"({"clusterIP":"10.96.9.9"})", sent), R"({"clusterIP":"<ip>"})");
}

TEST(Normalise, KeepsAVersionThatIsEmptyOrZero) {
  EXPECT_EQ(text(R"([{"resourceVersion":""},{"resourceVersion":"0"}])"),
            R"([{"resourceVersion":""},{"resourceVersion":"0"}])");
}

TEST(Normalise, TakesTheEndOffGeneratedNames) {
  const std::string sent = R"({"metadata":{"generateName":"made-"}})";
  EXPECT_EQ(text(R"({"generateName":"made-","name":"made-x7k2p"})", sent),
            R"({"generateName":"made-","name":"made-<suffix>"})");
  EXPECT_EQ(text(R"({"name":"made-x7k2"})", sent), R"({"name":"made-x7k2"})") << "a letter is missing";
}

TEST(Normalise, OrdersManagersByName) {
  EXPECT_EQ(text(R"({"managedFields":[{"manager":"b"},{"manager":"a"}]})"),
            R"({"managedFields":[{"manager":"a"},{"manager":"b"}]})");
  EXPECT_EQ(text(R"({"items":["b","a"]})"), R"({"items":["b","a"]})");
}

TEST(Normalise, ReadsStreamsAndText) {
  EXPECT_EQ(text("{\"type\":\"ADDED\"}\n{\"type\":\"DELETED\"}\n"), R"([{"type":"ADDED"},{"type":"DELETED"}])");
  EXPECT_EQ(text("404 page not found\n"), R"("404 page not found\n")");
}

Exchange exchange(int status, std::string body) {
  return {.what = "asks", .sent = "", .status = status, .content_type = "application/json", .body = std::move(body)};
}

std::vector<std::string> places(const std::vector<Difference>& differences) {
  std::vector<std::string> result;
  for (const Difference& difference : differences) result.push_back(difference.request + " | " + difference.place);
  return result;
}

TEST(Differential, NamesThePlacesThatDiffer) {
  const auto found = compare("file", {exchange(200, R"({"a":{"b":[1,2]},"c":1,"same":"r1"})")}, "r1",
                             {exchange(404, R"({"a":{"b":[1,3]},"d":1,"same":"r2"})")}, "r2");
  EXPECT_THAT(places(found), ElementsAre("file: asks | status", "file: asks | body.a.b[1]", "file: asks | body.c",
                                         "file: asks | body.d"));
  EXPECT_EQ(found[2].real, "1");
  EXPECT_EQ(found[2].sandbox, "");
}

TEST(Differential, ComparesTheTypeAndTheWarnings) {
  Exchange other = exchange(200, "{}");
  other.content_type = "text/plain";
  other.warnings = {"299 - \"old\""};
  EXPECT_THAT(places(compare("f", {exchange(200, "{}")}, "r1", {other}, "r2")),
              ElementsAre("f: asks | header.Content-Type", "f: asks | header.Warning"));
  EXPECT_THAT(compare("f", {other}, "r1", {other}, "r1"), IsEmpty());
}

TEST(AllowedDifferences, CoverByPatternAndTellWhatNobodyNeeds) {
  auto list = AllowedDifferences::read("# why\n\ncrud: * | body.message | words\ncrud: reads | status | never\n");
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_TRUE(list->covers({.request = "crud: asks", .place = "body.message"}));
  EXPECT_FALSE(list->covers({.request = "crud: asks", .place = "body.message.more"}));
  EXPECT_FALSE(list->covers({.request = "kinds: asks", .place = "body.message"}));
  EXPECT_THAT(list->unused(), ElementsAre("crud: reads | status"));
}

TEST(AllowedDifferences, NeedAReason) {
  EXPECT_FALSE(AllowedDifferences::read("crud: * | body.message | \n"));
  EXPECT_FALSE(AllowedDifferences::read("crud: * | body.message\n"));
}

}  // namespace
}  // namespace landfall::sandbox
