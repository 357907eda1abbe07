#include "kube/raw_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::kube {
namespace {

using testing::HasSubstr;

std::string object_of(const RawPage& page, std::size_t i) {
  std::string text;
  page.append_object(page.items().at(i), text);
  return text;
}

TEST(RawPage, SlicesItemsAndSuppliesTheirType) {
  const auto page = RawPage::slice(R"({"kind":"PodList","apiVersion":"v1",
    "metadata":{"resourceVersion":"812","continue":"abc\"d","remainingItemCount":7},
    "items":[ {"metadata":{"name":"db-0","namespace":"shop","labels":{"name":"x"}},"spec":{"a":[1,{"b":"}]"}]}} ,
              {"kind":"Pod","apiVersion":"v1","metadata":{"name":"db-1"}}, {}]})");
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->resource_version(), "812");
  EXPECT_EQ(page->continue_token(), "abc\"d");
  EXPECT_EQ(page->remaining(), 7);
  ASSERT_EQ(page->items().size(), 3U);
  EXPECT_EQ(page->items()[0].name, "db-0");
  EXPECT_EQ(page->items()[0].name_space, "shop");
  EXPECT_EQ(object_of(*page, 0),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-0","namespace":"shop","labels":{"name":"x"}},)"
            R"("spec":{"a":[1,{"b":"}]"}]}})");
  EXPECT_EQ(object_of(*page, 1), R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"db-1"}})");
  EXPECT_EQ(object_of(*page, 2), R"({"apiVersion":"v1","kind":"Pod"})");
}

TEST(RawPage, TellsWhatFiltersAskForWithoutADocument) {
  const auto page = RawPage::slice(R"({"kind":"PodList","apiVersion":"v1","items":[
    {"metadata":{"labels": { "app":"web", "x":"}" } ,"name":"a","deletionTimestamp":"2030-01-01T00:00:00Z"}},
    {"metadata":{"name":"b","labels":null,"deletionTimestamp":null}}, {"metadata":{"name":"c","labels":{}}},
    {"metadata":{"name":"d","labels":[1]}}]})");
  ASSERT_TRUE(page) << page.error().message();
  ASSERT_EQ(page->items().size(), 4U);
  EXPECT_EQ(page->items()[0].labels, R"({ "app":"web", "x":"}" })");
  EXPECT_TRUE(page->items()[0].is_being_deleted);
  EXPECT_EQ(page->items()[1].labels, "");
  EXPECT_FALSE(page->items()[1].is_being_deleted);
  EXPECT_EQ(page->items()[2].labels, "{}");
  EXPECT_EQ(page->items()[3].labels, "");
  EXPECT_EQ(page->items()[3].name, "d");
}

TEST(RawPage, ItemsStayValidWhenThePageIsMoved) {
  auto page = RawPage::slice(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})");
  ASSERT_TRUE(page);
  const RawPage moved = *std::move(page);
  EXPECT_EQ(moved.items()[0].name, "a");
}

TEST(RawPage, AnEmptyListMayBeNull) {
  const auto page = RawPage::slice(R"({"kind":"PodList","apiVersion":"v1","metadata":null,"items":null})");
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_TRUE(page->items().empty());
}

TEST(RawPage, RefusesWhatIsNotAWholeList) {
  const std::string whole =
      R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"},"spec":{"x":[true]}}]})";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const auto page = RawPage::slice(whole.substr(0, cut));
    ASSERT_FALSE(page) << whole.substr(0, cut);
    EXPECT_EQ(page.error().code(), Code::kDataLoss);
  }
  // Damage deep inside an item, where nobody looks but everybody stores.
  EXPECT_FALSE(RawPage::slice(R"({"kind":"PodList","apiVersion":"v1","items":[{"spec":{"x":[tru]}}]})"));
  EXPECT_FALSE(RawPage::slice(R"({"kind":"PodList","apiVersion":"v1","items":[{"spec":{"x":[1}]}]})"));
  EXPECT_FALSE(RawPage::slice(R"({"kind":"PodList","apiVersion":"v1","items":[{"spec":"\xff"}]})"));
  EXPECT_FALSE(RawPage::slice(whole + "{}"));
  EXPECT_THAT(RawPage::slice("[]").error().message(), HasSubstr("damaged"));
  EXPECT_THAT(RawPage::slice(R"({"kind":"Pod","apiVersion":"v1"})").error().message(), HasSubstr("not a list"));
  EXPECT_THAT(RawPage::slice(R"({"kind":"x\",\"y","apiVersion":"v1","items":[{}]})").error().message(),
              HasSubstr("does not say of what kind"));
}

// What is sliced is what a parser would have found.
RC_GTEST_PROP(RawPage, KeepsEveryObject, (const std::vector<std::map<std::string, std::string>>& labels)) {
  json::Json raw = {{"kind", "ThingList"}, {"apiVersion", "example.com/v1"}, {"items", json::Json::array()}};
  for (const auto& each : labels) {
    raw["items"].push_back({{"metadata", {{"name", "n"}, {"labels", each}}}});
  }
  const json::Json list = json::parse(json::dump(raw)).value();  // bytes that are not UTF-8 are replaced
  const auto page = RawPage::slice(json::dump(list));
  RC_ASSERT(page.has_value());
  RC_ASSERT(page->items().size() == labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    json::Json expected = list["items"][i];
    expected["kind"] = "Thing";
    expected["apiVersion"] = "example.com/v1";
    RC_ASSERT(json::parse(object_of(*page, i)).value() == expected);
  }
}

}  // namespace
}  // namespace landfall::kube
