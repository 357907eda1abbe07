#include "k8s/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "k8s/golden_file.h"

namespace landfall::k8s {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Names, SayWhatKubernetesSays) {
  const std::map<std::string, Problems (*)(std::string_view)> rules{
      {"dns1123_label", dns1123_label_problems},   {"dns1123_subdomain", dns1123_subdomain_problems},
      {"dns1035_label", dns1035_label_problems},   {"qualified_name", qualified_name_problems},
      {"label_value", label_value_problems},       {"annotation_key", annotation_key_problems},
      {"path_segment", path_segment_problems},     {"port_name", port_name_problems},
      {"finalizer_name", finalizer_name_problems}, {"config_key", config_key_problems}};
  const json::Json golden = read_golden_file("names.json");
  const auto messages = golden["messages"].get<std::vector<std::string>>();
  ASSERT_GT(golden["cases"].size(), 50U);

  for (const json::Json& entry : golden["cases"]) {
    const auto value = entry["value"].get<std::string>();
    for (const auto& [rule, check] : rules) {
      Problems expected;
      for (const json::Json& index : entry["problems"].value(rule, json::Json::array())) {
        expected.push_back(messages.at(index.get<std::size_t>()));
      }
      EXPECT_EQ(check(value), expected) << rule << " of '" << value << "'";
    }
  }
}

TEST(Names, ReportEveryProblemAtOnce) {
  EXPECT_THAT(port_name_problems("-0123456789--0123456789"),
              ElementsAre("must be no more than 15 characters", "must contain at least one letter (a-z)",
                          "must not contain consecutive hyphens", "must not begin or end with a hyphen"));
}

TEST(Names, MeasureBytesNotCharacters) {
  const std::string thirty_two_characters =
      "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
      "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
      "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";

  EXPECT_EQ(label_value_problems(thirty_two_characters).front(), "must be no more than 63 characters");
}

TEST(Names, RefuseBytesThatAreNotText) {
  EXPECT_FALSE(dns1123_subdomain_problems("a\xff").empty());
  EXPECT_FALSE(qualified_name_problems(std::string_view("a\0b", 3)).empty());
}

TEST(Names, TakeAnnotationKeysInUpperCase) {
  EXPECT_THAT(annotation_key_problems("EXAMPLE.COM/Key"), IsEmpty());
  EXPECT_FALSE(qualified_name_problems("EXAMPLE.COM/Key").empty());
}

TEST(Names, JoinTheirProblemsIntoOneSentence) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"first"}), "first");
  EXPECT_EQ(joined({"first", "second"}), "first; second");
}

TEST(LabelSafe, LeavesUpToSixtyThreeBytesAlone) {
  EXPECT_EQ(label_safe(""), "");
  EXPECT_EQ(label_safe(std::string(63, 'n')), std::string(63, 'n'));
}

TEST(LabelSafe, ShortensALongerNameByItsHash) {
  EXPECT_EQ(label_safe(std::string(64, 'n')), std::string(57, 'n') + "ce068a");
  EXPECT_EQ(label_safe("backup-" + std::string(80, 'x')), "backup-" + std::string(50, 'x') + "a1a4b1");
}

TEST(LabelSafe, CutsBytesEvenInsideACharacter) {
  const std::string name = std::string(56, 'a') + "\xC3\xA4" + std::string(20, 'b');

  EXPECT_EQ(label_safe(name), std::string(56, 'a') + "\xC3" + "9b3433");
}

}  // namespace
}  // namespace landfall::k8s
