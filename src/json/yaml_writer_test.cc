#include <gtest/gtest.h>

#include "json/json.h"
#include "json/natural_order.h"
#include "json/yaml.h"

namespace landfall::json {
namespace {

std::string yaml(const char* json) { return to_yaml(Json::parse(json)); }

// The expected texts are what kubectl's YAML library wrote.
TEST(ToYaml, WritesAnObjectAsKubectlDoes) {
  EXPECT_EQ(yaml(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{},"name":"db-0"},
                     "spec":{"containers":[{"args":["-a","1"],"name":"db"}],"nodes":[[1,2],[]],"replicas":1.5}})"),
            "apiVersion: v1\n"
            "kind: Pod\n"
            "metadata:\n"
            "  labels: {}\n"
            "  name: db-0\n"
            "spec:\n"
            "  containers:\n"
            "  - args:\n"
            "    - -a\n"
            "    - \"1\"\n"
            "    name: db\n"
            "  nodes:\n"
            "  - - 1\n"
            "    - 2\n"
            "  - []\n"
            "  replicas: 1.5\n");
}

TEST(ToYaml, QuotesWhatCouldBeReadAsSomethingElse) {
  EXPECT_EQ(yaml(R"(["true","yes","y","null","~","","1","0x1f","1e3",".inf","2001-01-01T00:00:00Z","12:30","<<"])"),
            "- \"true\"\n- \"yes\"\n- \"y\"\n- \"null\"\n- \"~\"\n- \"\"\n- \"1\"\n- \"0x1f\"\n- \"1e3\"\n- \".inf\"\n"
            "- \"2001-01-01T00:00:00Z\"\n- \"12:30\"\n- \"<<\"\n");
  EXPECT_EQ(yaml(R"(["a: b","#a"," a","a ","- a","'a","a\tb","😀","10.0.0.1","a:b"])"),
            "- 'a: b'\n- '#a'\n- ' a'\n- 'a '\n- '- a'\n- '''a'\n- \"a\\tb\"\n- \"\\U0001F600\"\n- 10.0.0.1\n- a:b\n");
}

TEST(ToYaml, WritesLinesAsABlock) {
  EXPECT_EQ(yaml(R"({"a":"x\ny","b":"x\n","c":"x\n\n","d":" x\ny\n","e":"x \ny"})"),
            "a: |-\n  x\n  y\nb: |\n  x\nc: |+\n  x\n\nd: |2\n   x\n  y\ne: \"x \\ny\"\n");
}

TEST(ToYaml, WritesNumbersAsKubectlDoes) {
  EXPECT_EQ(yaml("[1.0,-0.0,1234567.5,1e21,1e20,1e19,1.5e-7,9223372036854775807]"),
            "- 1\n- 0\n- 1.2345675e+06\n- 1e+21\n- 1e+20\n- 10000000000000000000\n- 1.5e-07\n- 9223372036854775807\n");
}

TEST(ToYaml, FoldsLongLinesOnlyWhenAsked) {
  std::string words = "word:";
  for (int i = 0; i < 20; ++i) words += " word";
  EXPECT_EQ(to_yaml({{"a", words}}), "a: 'word:" + words.substr(5) + "'\n");
  EXPECT_EQ(to_yaml({{"a", words}}, YamlLines::kWrapped),
            "a: 'word: word word word word word word word word word word word word word word word\n"
            "  word word word word word'\n");
}

TEST(ToYaml, WritesAScalarAloneWithoutMarkers) {
  EXPECT_EQ(yaml("null"), "null\n");
  EXPECT_EQ(yaml("\"a\\n\\n\""), "|+\n  a\n\n");
  EXPECT_EQ(yaml("{}"), "{}\n");
}

TEST(ToYaml, ReplacesBytesThatAreNotUtf8) { EXPECT_EQ(to_yaml(Json("a\xff")), "a\xEF\xBF\xBD\n"); }

TEST(ToYaml, OrdersKeysNaturally) {
  EXPECT_EQ(yaml(R"({"a10":0,"a2":0,"B":0,"_c":0,"a-b":0,"ab":0,"a":0})"),
            "_c: 0\nB: 0\na: 0\na-b: 0\na2: 0\na10: 0\nab: 0\n");
}

TEST(NaturalOrder, ComparesDigitsByValue) {
  EXPECT_TRUE(naturally_less("v9", "v10"));
  EXPECT_FALSE(naturally_less("v10", "v9"));
  EXPECT_TRUE(naturally_less("v1", "v01"));
  EXPECT_FALSE(naturally_less("a", "a"));
}

}  // namespace
}  // namespace landfall::json
