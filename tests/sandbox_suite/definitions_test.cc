// The velero.io definitions on the sandbox: they are served, and what is written to their objects is kept or refused as
// their schemas say.

#include "api/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "api/names.h"
#include "json/access.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using testing::HasSubstr;
using testing::IsEmpty;

const k8s::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

// Every type that a schema of ours can have, filled in: whatever the schema names is there.
Json example_of(const Json& schema) {
  if (const Json* values = json::find(schema, {"enum"})) return values->front();
  const std::string type = json::string_or(schema, {"type"}, "");
  const std::string format = json::string_or(schema, {"format"}, "");
  if (type == "boolean") return true;
  if (type == "integer") return 7;
  if (type == "array") return Json::array({example_of(schema["items"])});
  if (format == "date-time") return "2026-05-20T08:00:22Z";
  if (format == "byte") return "YWJj";
  if (type == "string") return "text";
  Json object = Json::object();
  if (const Json* value = json::find(schema, {"additionalProperties"})) object["key"] = example_of(*value);
  if (const Json* fields = json::find(schema, {"properties"})) {
    for (const auto& [name, field] : fields->items()) object[name] = example_of(field);
  }
  if (json::has(schema, {"x-kubernetes-preserve-unknown-fields"})) object["anything"] = Json::array({1, "two"});
  return object;
}

class Definitions : public testing::Test {
 protected:
  Definitions() : client_(*running().sandbox) {}

  // One sandbox for all: with the definitions, served, and a namespace.
  struct Running {
    std::unique_ptr<Sandbox> sandbox = Sandbox::start({}, system_clock(), system_random(), Logger()).value();
    World world{*sandbox, {.workloads = false}, system_clock(), Logger()};

    Running() {
      world.start();
      const SandboxClient client(*sandbox);
      const kube::Resource definitions(*client, kDefinitions);
      for (const Json& definition : api::custom_resource_definitions()) {
        const auto created = definitions.create(definition, {}, {.field_validation = "Strict"});
        EXPECT_TRUE(created) << created.error().message();
      }
      EXPECT_TRUE(kube::Resource(*client, {"", "v1", "namespaces"}).create({{"metadata", {{"name", "velero"}}}}, {}));
      for (const api::Kind& kind : api::kAllKinds) EXPECT_TRUE(is_established(definitions, kind)) << kind.name;
    }

    static bool is_established(const kube::Resource& definitions, const api::Kind& kind) {
      const SteadyTime deadline = system_clock().after(std::chrono::seconds(20));
      while (system_clock().now() < deadline) {
        const auto found = definitions.get(kind.definition(), {});
        if (found && k8s::ObjectView(*found).is_condition_true("Established")) return true;
        system_clock().sleep_for(std::chrono::milliseconds(20), {});
      }
      return false;
    }
  };
  static Running& running() {
    static Running one;
    return one;
  }

  kube::Resource resource(const api::Kind& kind) const { return {*client_, kind.resource(), "velero"}; }
  static Json object_of(const api::Kind& kind, const std::string& name, Json fields) {
    fields["apiVersion"] = kind.api_version();
    fields["kind"] = std::string(kind.name);
    fields["metadata"] = {{"name", name}};
    return fields;
  }

  SandboxClient client_;
};

TEST_F(Definitions, KeepEveryFieldOfEveryKind) {
  const std::vector<Json> definitions = api::custom_resource_definitions();
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const api::Kind& kind = api::kAllKinds[i];
    const Json full = example_of(definitions[i]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]);
    const Json sent = object_of(kind, "full", {{"spec", full["spec"]}, {"status", full["status"]}});
    const auto created = resource(kind).create(sent, {}, {.field_validation = "Strict"});
    ASSERT_TRUE(created) << kind.name << ": " << created.error().message();
    const auto kept = resource(kind).get("full", {});
    ASSERT_TRUE(kept) << kept.error().message();
    EXPECT_THAT(json::differences((*kept)["spec"], sent["spec"]), IsEmpty()) << kind.name;
    EXPECT_THAT(json::differences((*kept)["status"], sent["status"]), IsEmpty()) << kind.name;
  }
}

TEST_F(Definitions, DropAFieldThatTheyDoNotKnowAndSayItWhenAsked) {
  const Json sent = object_of(api::kBackup, "unknown", {{"spec", {{"ttl", "1h"}, {"previeww", true}}}});
  const auto strict = resource(api::kBackup).create(sent, {}, {.field_validation = "Strict"});
  ASSERT_FALSE(strict);
  EXPECT_THAT(strict.error().message(), HasSubstr("spec.previeww"));
  const auto created = resource(api::kBackup).create(sent, {});
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ((*created)["spec"], (Json{{"ttl", "1h"}}));
}

TEST_F(Definitions, RefuseAWrongTypeAndAnUnknownPhase) {
  const auto refusal = [&](const api::Kind& kind, const char* fields) {
    const auto created = resource(kind).create(object_of(kind, "wrong", json::parse_yaml(fields).value()), {});
    return created ? std::string("created") : created.error().message();
  };
  EXPECT_THAT(refusal(api::kRestore, "{spec: {preview: 'yes'}}"), HasSubstr("spec.preview"));
  EXPECT_THAT(refusal(api::kBackup, "{spec: {includedNamespaces: shop}}"), HasSubstr("spec.includedNamespaces"));
  EXPECT_THAT(refusal(api::kBackup, "{status: {phase: Canceled}}"), HasSubstr("status.phase"));
  EXPECT_THAT(refusal(api::kSchedule, "{spec: {schedule: '@daily'}}"), HasSubstr("spec.template"));
  EXPECT_THAT(refusal(api::kVolumePluginBackup, "{spec: {volume: pv, backup: b}}"), HasSubstr("spec.plugin"));
}

TEST_F(Definitions, LetAVolumePluginUseItsOwnWordsAndSpelling) {
  const Json sent = object_of(api::kVolumePluginBackup, "snap-1",
                              json::parse_yaml(R"(
spec: {volume: pv-1, backup: nightly, plugin: example.com/snapshotter}
status: {phase: Replicating, snapshotID: snap-1, progress: {TotalBytes: 9, BytesDone: 4}}
)")
                                  .value());
  const auto created = resource(api::kVolumePluginBackup).create(sent, {}, {.field_validation = "Strict"});
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ((*created)["status"], sent["status"]);
}

TEST_F(Definitions, AreFoundWholeByTheCheckOfTheServer) {
  const kube::Resource definitions(*client_, kDefinitions);
  const auto found = definitions.get(api::kRestore.definition(), {});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_THAT(api::missing_fields(*found), IsEmpty());
}

}  // namespace
}  // namespace landfall::sandbox
