#include "agent/agent_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace landfall::agent {
namespace {

using json::Json;
using ::testing::HasSubstr;

const Json kNode = {{"metadata", {{"name", "n1"}, {"labels", {{"disk", "fast"}, {"zone", "a"}}}}}};

Result<int> concurrency(std::string_view config) { return concurrency_in(json::parse(config).value(), kNode); }

TEST(AgentConfig, IsOneAtATimeUnlessSaidOtherwise) {
  EXPECT_EQ(concurrency("{}").value(), 1);
  EXPECT_EQ(concurrency(R"({"loadConcurrency": {}})").value(), 1);
  EXPECT_EQ(concurrency(R"({"loadAffinity": []})").value(), 1);
}

TEST(AgentConfig, TakesTheGlobalNumber) {
  EXPECT_EQ(concurrency(R"({"loadConcurrency": {"globalConfig": 3}})").value(), 3);
}

TEST(AgentConfig, TakesTheSmallestNumberOfThoseThatMatchTheNode) {
  EXPECT_EQ(concurrency(R"({"loadConcurrency": {"globalConfig": 9, "perNodeConfig": [
      {"nodeSelector": {"matchLabels": {"zone": "a"}}, "number": 5},
      {"nodeSelector": {"matchLabels": {"disk": "fast"}}, "number": 4},
      {"nodeSelector": {"matchLabels": {"zone": "b"}}, "number": 2}]}})")
                .value(),
            4);
}

TEST(AgentConfig, RefusesNumbersThatAreNone) {
  for (const char* const bad :
       {R"({"loadConcurrency": {"globalConfig": 0}})", R"({"loadConcurrency": {"globalConfig": "two"}})"}) {
    const auto refused = concurrency(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().message(), HasSubstr("loadConcurrency.globalConfig"));
  }
  EXPECT_FALSE(concurrency(R"({"loadConcurrency": {"perNodeConfig": [{"nodeSelector": {}, "number": -1}]}})"));
}

}  // namespace
}  // namespace landfall::agent
