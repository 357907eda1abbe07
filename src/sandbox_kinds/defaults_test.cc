#include "sandbox_kinds/defaults.h"

#include <gtest/gtest.h>

#include "sandbox_kinds/defaults_test_cases.h"
#include "sandbox_kinds/prepare.h"
#include "sandbox_kinds/validation.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// What the caller adds before an object is prepared.
void stamp(Json& object, const Json& stored) {
  object["metadata"]["uid"] = stored["metadata"]["uid"];
  object["metadata"]["creationTimestamp"] = stored["metadata"]["creationTimestamp"];
}

TEST(Creation, StoresWhatARealServerStores) {
  for (const Json& test : read_cases("creations.json")) {
    Json object = test["sent"];
    const KindInfo& kind = kind_of_object(object);
    stamp(object, test["stored"]);
    set_defaults(kind, object);
    admit(kind, object);
    prepare_for_create(kind, object);
    EXPECT_EQ(json::dump(object), json::dump(test["stored"]));
    EXPECT_EQ(causes_text(validate_create(kind, object)), "[]") << json::dump(object);
  }
}

TEST(SetDefaults, TwiceIsOnce) {
  for (const Json& test : read_cases("creations.json")) {
    Json once = test["sent"];
    set_defaults(kind_of_object(once), once);
    Json twice = once;
    set_defaults(kind_of_object(once), twice);
    EXPECT_EQ(json::dump(twice), json::dump(once));
  }
}

TEST(SetDefaults, LeavesValuesOfAWrongTypeAlone) {
  Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", {{"containers", {{"name", "x"}}}, {"volumes", 3}}}};
  set_defaults(kind_named("Pod"), pod);
  EXPECT_EQ(pod["spec"]["volumes"], 3);
  Json text = "not an object";
  set_defaults(kind_named("Service"), text);
  EXPECT_EQ(text, "not an object");
}

TEST(SetDefaults, KnowsWhatItDoesNotComplete) {
  EXPECT_TRUE(is_defaulted(kind_named("Deployment")));
  EXPECT_FALSE(is_defaulted(kind_named("ResourceClaim")));
}

}  // namespace
}  // namespace landfall::sandbox
