#include "operation/results.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::operation {
namespace {

using json::Json;

TEST(Results, AreWrittenAsVeleroWritesThem) {
  Results results;
  results.errors.add_to_run("a");
  results.errors.add_to_namespace("shop", "b");
  results.errors.add_to_namespace("", "c");
  EXPECT_EQ(json::dump(results.to_json()),
            R"({"errors":{"cluster":["c"],"namespaces":{"shop":["b"]},"velero":["a"]},"warnings":{}})");
  EXPECT_EQ(results.errors.count(), 3);
  EXPECT_TRUE(results.warnings.empty());
}

TEST(Results, AreReadAgainAndMerged) {
  const Json document =
      json::parse(R"({"errors":{"velero":["a"],"cluster":null,"namespaces":{"x":["b","c"]}}})").value();
  Results results = Results::from_json(document).value();
  EXPECT_EQ(results.errors.count(), 3);
  ResultList more;
  more.add_to_namespace("x", "d");
  results.errors.merge(more);
  EXPECT_EQ(json::dump(results.errors.to_json()), R"({"namespaces":{"x":["b","c","d"]},"velero":["a"]})");
}

TEST(Results, RefuseWhatIsNone) {
  for (const char* text : {"[]", R"({"errors":[]})", R"({"errors":{"velero":"x"}})", R"({"warnings":{"cluster":[1]}})",
                           R"({"errors":{"namespaces":[]}})"}) {
    const auto read = Results::from_json(json::parse(text).value());
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), Code::kDataLoss);
  }
}

TEST(Results, KeepSoManyAndCountTheRest) {
  ResultList list;
  const auto many = static_cast<std::int64_t>(ResultList::kMaxKept) + 5;
  for (std::int64_t i = 0; i < many; ++i) list.add_to_run("x");
  EXPECT_EQ(list.count(), many);
  ResultList twice = list;
  twice.merge(list);
  EXPECT_EQ(twice.count(), 2 * many);
  const Json texts = list.to_json()["velero"];
  EXPECT_EQ(texts.size(), ResultList::kMaxKept + 1);
  EXPECT_EQ(texts.back(), "and 5 more, which are in the log");
}

}  // namespace
}  // namespace landfall::operation
