#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox/api_error.h"
#include "sandbox/field_set.h"
#include "sandbox/managed_fields.h"
#include "sandbox/registry.h"

namespace landfall::sandbox {
namespace {

using json::Json;

const KindInfo& kind_of(const std::string& group, const std::string& kind) {
  static const Registry registry;
  return *registry.kinds()->find_kind(group, "", kind);
}

Json from(const std::string& text) { return json::parse(text).value(); }

FieldManager manager(const std::string& name) { return {name, "apps/v1", "", "2030-01-01T00:00:00Z"}; }

const char* const kDeployment =
    R"({"metadata":{"name":"web","labels":{"a":"b"}},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
        "template":{"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}]}}}})";

TEST(FieldSet, NamesElementsOfListsByTheirKeys) {
  const FieldSet set = fields_of(kind_of("apps", "Deployment"), from(kDeployment));
  const Json fields = set.to_json();
  const Json* port = json::find(fields, {"f:spec", "f:template", "f:spec", "f:containers", R"(k:{"name":"c"})",
                                         "f:ports", R"(k:{"containerPort":80,"protocol":"TCP"})", "."});
  EXPECT_NE(port, nullptr) << fields.dump();
  EXPECT_TRUE(json::has(fields, {"f:spec", "f:selector"})) << "a selector is owned as a whole";
  EXPECT_EQ(json::find(fields, {"f:spec", "f:selector", "f:matchLabels"}), nullptr);
  EXPECT_EQ(FieldSet::from_json(fields), set);
}

TEST(FieldSet, FindsElementsThatAreThereTwice) {
  const Json twice = from(R"({"metadata":{"finalizers":["a/b","a/b"]},"spec":{"template":{"spec":{"containers":[
      {"name":"c","ports":[{"containerPort":80},{"containerPort":80,"protocol":"TCP"},{"containerPort":81}]}]}}}})");
  EXPECT_THAT(repeated_elements(kind_of("apps", "Deployment"), twice),
              testing::ElementsAre(R"(.metadata.finalizers: duplicate entries for key [="a/b"])",
                                   R"(.spec.template.spec.containers[name="c"].ports: duplicate entries for key )"
                                   R"([containerPort=80,protocol="TCP"])"));
  EXPECT_THAT(repeated_elements(kind_of("apps", "Deployment"), from(kDeployment)), testing::IsEmpty());
}

TEST(ManagedFields, ACreationOwnsEverythingButWhatIsAlwaysThere) {
  Json object = from(kDeployment);
  track_update(kind_of("apps", "Deployment"), Json::object(), object, manager("kubectl-create"));
  const Json& entry = object["metadata"]["managedFields"][0];
  EXPECT_EQ(entry["operation"], "Update");
  EXPECT_TRUE(json::has(entry, {"fieldsV1", "f:metadata", "f:labels", "."}));
  EXPECT_FALSE(entry["fieldsV1"]["f:spec"].contains("."));
  EXPECT_FALSE(entry["fieldsV1"]["f:metadata"].contains("f:name"));
}

TEST(ManagedFields, AnUpdateTakesChangedFieldsOver) {
  Json live = from(kDeployment);
  track_update(kind_of("apps", "Deployment"), Json::object(), live, manager("one"));
  Json next = live;
  next["spec"]["replicas"] = 5;
  track_update(kind_of("apps", "Deployment"), live, next, manager("two"));
  const Json& entries = next["metadata"]["managedFields"];
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_FALSE(json::has(entries[0], {"fieldsV1", "f:spec", "f:replicas"}));
  EXPECT_TRUE(json::has(entries[1], {"fieldsV1", "f:spec", "f:replicas"}));
}

TEST(Apply, RefusesAFieldOfAnotherManagerUnlessForced) {
  const KindInfo& kind = kind_of("", "ConfigMap");
  const Json mine = from(R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  const Json theirs = from(R"({"metadata":{"name":"c"},"data":{"x":"2"}})");
  const Json live = apply_configuration(kind, Json::object(), mine, manager("me"), false).value();

  const auto refused = apply_configuration(kind, live, theirs, manager("you"), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "Apply failed with 1 conflict: conflict with \"me\": .data.x");
  EXPECT_EQ(refused.error().detail<ApiFailure>()->causes[0].field, ".data.x");

  const Json forced = apply_configuration(kind, live, theirs, manager("you"), true).value();
  EXPECT_EQ(forced["data"]["x"], "2");
  ASSERT_EQ(forced["metadata"]["managedFields"].size(), 1U) << "the other manager has nothing left";
  EXPECT_EQ(forced["metadata"]["managedFields"][0]["manager"], "you");
}

TEST(Apply, TheSameValueIsSharedWithoutAConflict) {
  const KindInfo& kind = kind_of("", "ConfigMap");
  const Json wanted = from(R"({"metadata":{"name":"c"},"data":{"x":"1"}})");
  const Json live = apply_configuration(kind, Json::object(), wanted, manager("me"), false).value();
  const Json shared = apply_configuration(kind, live, wanted, manager("you"), false).value();
  EXPECT_EQ(shared["metadata"]["managedFields"].size(), 2U);
  // Leaving it out takes it away only when nobody else wants it.
  const Json nothing = from(R"({"metadata":{"name":"c"}})");
  const Json still = apply_configuration(kind, shared, nothing, manager("me"), false).value();
  EXPECT_EQ(still["data"]["x"], "1");
  const Json gone = apply_configuration(kind, still, nothing, manager("you"), false).value();
  EXPECT_FALSE(gone.contains("data"));
}

TEST(Apply, MergesContainersByName) {
  const KindInfo& kind = kind_of("apps", "Deployment");
  Json live = from(kDeployment);
  track_update(kind, Json::object(), live, manager("kubectl-create"));
  const Json wanted =
      from(R"({"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j"},{"name":"c","tty":true}]}}}})");
  const Json merged = apply_configuration(kind, live, wanted, manager("me"), false).value();
  const Json& containers = merged["spec"]["template"]["spec"]["containers"];
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(containers[0]["image"], "i");
  EXPECT_EQ(containers[0]["tty"], true);
  EXPECT_EQ(containers[1]["name"], "d");
  const Json without = from(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","tty":true}]}}}})");
  const Json removed = apply_configuration(kind, merged, without, manager("me"), false).value();
  EXPECT_EQ(removed["spec"]["template"]["spec"]["containers"].size(), 1U);
}

TEST(Apply, ReplacesAllLiveElementsOfAKey) {
  const KindInfo& kind = kind_of("", "Service");
  const Json live = from(R"({"spec":{"ports":[{"port":80,"name":"a"},{"port":81},{"port":80,"name":"b"}]}})");
  const Json wanted = from(R"({"spec":{"ports":[{"port":80,"name":"c"}]}})");
  const Json merged = apply_configuration(kind, live, wanted, manager("me"), true).value();
  EXPECT_EQ(merged["spec"]["ports"], from(R"([{"port":80,"name":"c"},{"port":81}])"));
}

}  // namespace
}  // namespace landfall::sandbox
