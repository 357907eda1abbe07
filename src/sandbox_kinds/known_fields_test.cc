#include "sandbox_kinds/known_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::IsEmpty;

KindInfo kind(const std::string& group, const std::string& version, const std::string& name) {
  KindInfo info;
  info.id = {group, version, ""};
  info.kind = name;
  return info;
}

Json document(std::string_view text) { return json::parse(text).value(); }

TEST(KnownFields, TakesAwayAndNamesWhatAKindDoesNotHave) {
  Json service = document(R"({"apiVersion":"v1","kind":"Service","extra":1,"metadata":{"name":"a","size":2},
      "spec":{"ports":[{"port":80},{"port":81,"prot":"x"}],"selector":{"any":"thing"}}})");
  EXPECT_THAT(prune_built_in(kind("", "v1", "Service"), service),
              ElementsAre("extra", "metadata.size", "spec.ports[1].prot"));
  EXPECT_EQ(json::dump(service), R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},)"
                                 R"("spec":{"ports":[{"port":80},{"port":81}],"selector":{"any":"thing"}}})");
}

TEST(KnownFields, KnowsWhatOtherMessagesBringAlong) {
  Json pod = document(R"({"spec":{"volumes":[{"name":"v","configMap":{"name":"c","optional":true,"odd":1}}]}})");
  EXPECT_THAT(prune_built_in(kind("", "v1", "Pod"), pod), ElementsAre("spec.volumes[0].configMap.odd"));
}

TEST(KnownFields, LooksOnlyAtTheMetadataOfKindsThatAreNotWrittenDown) {
  Json object = document(R"({"metadata":{"odd":1},"anything":{"goes":1}})");
  EXPECT_THAT(prune_built_in(kind("example.com", "v1", "Unheard"), object), ElementsAre("metadata.odd"));
  EXPECT_TRUE(object.contains("anything"));
}

TEST(KnownFields, LeavesAClaimTemplateItsKind) {
  Json set = document(R"({"spec":{"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim"}]}})");
  EXPECT_THAT(prune_built_in(kind("apps", "v1", "StatefulSet"), set), IsEmpty());
}

TEST(KnownFields, NamesTheFirstValueOfAWrongType) {
  const KindInfo deployment = kind("apps", "v1", "Deployment");
  EXPECT_EQ(wrong_type(deployment, document(R"({"spec":{"replicas":"3"}})")),
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32");
  EXPECT_EQ(wrong_type(deployment, document(R"({"spec":{"replicas":3,"template":{"spec":{"containers":[]}}}})")),
            std::nullopt);
  EXPECT_EQ(wrong_type(kind("", "v1", "Secret"), document(R"({"data":{"a":"%%"}})")),
            "illegal base64 data at input byte 0");
  EXPECT_EQ(wrong_type(kind("", "v1", "Secret"), document(R"({"data":{"a":"MQ=\n="}})")), std::nullopt);
}

TEST(KnownFields, WritesTheTimesOfAConditionAsNull) {
  Json object = document(R"({"status":{"conditions":[{"type":"Available","status":"True"}]}})");
  write_missing_times(kind("apps", "v1", "Deployment"), object);
  EXPECT_EQ(json::dump(object), R"({"status":{"conditions":[{"lastTransitionTime":null,"lastUpdateTime":null,)"
                                R"("status":"True","type":"Available"}]}})");
}

}  // namespace
}  // namespace landfall::sandbox
