#include "sandbox_kinds/validation.h"

#include <gtest/gtest.h>

#include "sandbox_kinds/defaults.h"
#include "sandbox_kinds/defaults_test_cases.h"
#include "sandbox_kinds/prepare.h"

namespace landfall::sandbox {
namespace {

using json::Json;

std::string name_of(const Json& object) { return object["metadata"].value("name", ""); }

TEST(ValidateCreate, RefusesInTheWordsOfARealServer) {
  for (const Json& test : read_cases("refused_creations.json")) {
    Json object = test["object"];
    const KindInfo& kind = kind_of_object(object);
    object["metadata"]["uid"] = "5c5c7a3e-0000-4000-8000-000000000001";
    set_defaults(kind, object);
    admit(kind, object);
    prepare_for_create(kind, object);
    const Causes causes = validate_create(kind, object);
    EXPECT_EQ(invalid_message(kind, name_of(object), causes), test["message"].get<std::string>())
        << json::dump(test["object"]);
  }
}

TEST(ValidateUpdate, AgreesWithARealServer) {
  for (const Json& test : read_cases("updates.json")) {
    Json next = test["next"];
    const KindInfo& kind = kind_of_object(next);
    set_defaults(kind, next);
    prepare_for_update(kind, test["old"], next, false);
    const Causes causes = validate_update(kind, test["old"], next);
    if (test.contains("message")) {
      EXPECT_EQ(invalid_message(kind, name_of(next), causes), test["message"].get<std::string>());
    } else {
      EXPECT_EQ(causes_text(causes), "[]") << json::dump(test["next"]);
    }
  }
}

TEST(ValidateMetadata, WantsANameAndTheRightScope) {
  const Json object = {{"metadata", {{"namespace", "shop"}}}};
  EXPECT_EQ(causes_text(validate_metadata(kind_named("Node"), object)),
            "[metadata.name: Required value: name or generateName is required, metadata.namespace: Forbidden: not "
            "allowed on this type]");
}

TEST(ValidateMetadata, TakesAPrefixThatEndsInADash) {
  const Json object = {{"metadata", {{"namespace", "shop"}, {"generateName", "web-"}, {"name", "web-x7k2p"}}}};
  EXPECT_TRUE(validate_metadata(kind_named("Pod"), object).empty());
}

}  // namespace
}  // namespace landfall::sandbox
