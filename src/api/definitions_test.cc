#include "api/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "api/names.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::api {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// testdata/fields.txt without its comment and empty lines.
std::vector<std::string> golden_lines() {
  std::ifstream file(std::string(LANDFALL_SOURCE_DIR) + "/src/api/testdata/fields.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  }
  return lines;
}

Json definition_of(const Kind& kind) {
  for (Json& definition : custom_resource_definitions()) {
    if (definition["metadata"]["name"] == kind.definition()) return definition;
  }
  return {};
}

TEST(Definitions, HaveEveryFieldThatTheyHad) {
  std::vector<std::string> golden;
  for (const std::string& line : golden_lines()) {
    const bool is_kind = line.find(' ') == std::string::npos;
    golden.push_back(is_kind ? line : line.substr(2));
  }
  std::vector<std::string> lines;
  for (const Json& definition : custom_resource_definitions()) {
    lines.push_back(json::string_or(definition, {"spec", "names", "kind"}, ""));
    for (const std::string& field : schema_fields(definition)) lines.push_back(field);
  }
  EXPECT_EQ(lines, golden);
}

TEST(Definitions, AddToVelerosKindsOnlyWhatIsAgreed) {
  std::set<std::string> added;
  std::string kind;
  for (const std::string& line : golden_lines()) {
    if (line.find(' ') == std::string::npos) kind = line;
    if (kind.starts_with("VolumePlugin") || !line.starts_with("+ ")) continue;
    const std::string path = line.substr(2, line.find(' ', 2) - 2);
    const bool every_progress = path.starts_with("status.progress.") && kind != "Restore";
    added.insert(every_progress ? path : kind + " " + path);
  }
  EXPECT_THAT(
      added,
      ElementsAre("Backup spec.cancel", "Backup status.canceled", "Restore spec.cancel", "Restore spec.preview",
                  "Restore status.canceled", "Restore status.progress.current",
                  "Restore status.progress.estimatedCompletionTimestamp", "Restore status.progress.itemsInBackup",
                  "Restore status.progress.itemsNotSelected", "Restore status.progress.itemsPerMinute",
                  "Restore status.progress.notSelected", "Restore status.progress.notSelected{}",
                  "Restore status.progress.outcomes", "Restore status.progress.outcomes.created",
                  "Restore status.progress.outcomes.failed", "Restore status.progress.outcomes.skipped",
                  "Restore status.progress.outcomes.unchanged", "Restore status.progress.outcomes.updated",
                  "Restore status.progress.stalled", "Restore status.progress.stalled.item",
                  "Restore status.progress.stalled.reason", "Restore status.progress.stalled.since",
                  "Restore status.progress.step", "status.progress.bytesPerSecond", "status.progress.current",
                  "status.progress.estimatedCompletionTimestamp", "status.progress.itemsPerMinute",
                  "status.progress.stalled", "status.progress.stalled.item", "status.progress.stalled.reason",
                  "status.progress.stalled.since", "status.progress.step"));
}

TEST(Definitions, AreOnePerKindWithTheNamesOfTheKind) {
  const std::vector<Json> definitions = custom_resource_definitions();
  ASSERT_EQ(definitions.size(), kAllKinds.size());
  for (std::size_t i = 0; i < kAllKinds.size(); ++i) {
    EXPECT_EQ(definitions[i]["metadata"]["name"], kAllKinds[i].definition());
    EXPECT_EQ(definitions[i]["spec"]["names"]["kind"], kAllKinds[i].name);
    EXPECT_EQ(definitions[i]["spec"]["versions"][0]["name"], kAllKinds[i].version);
    EXPECT_EQ(definitions[i]["spec"]["scope"], "Namespaced");
    // Velero's clients write the status with the object.
    EXPECT_FALSE(definitions[i]["spec"]["versions"][0].contains("subresources"));
    EXPECT_EQ(definitions[i]["metadata"]["labels"]["component"], "velero");
    EXPECT_EQ(definitions[i]["metadata"]["annotations"]["landfall.dev/crds"], kDefinitionsVersion);
  }
}

TEST(Definitions, HaveVelerosColumnsAndShortNames) {
  const Json location = definition_of(kBackupStorageLocation);
  EXPECT_EQ(location["spec"]["names"]["shortNames"], Json::array({"bsl"}));
  EXPECT_EQ(location["spec"]["versions"][0]["additionalPrinterColumns"][1],
            (Json{{"name", "Last Validated"}, {"type", "date"}, {"jsonPath", ".status.lastValidationTime"}}));
  const Json columns = definition_of(kPodVolumeBackup)["spec"]["versions"][0]["additionalPrinterColumns"];
  ASSERT_EQ(columns.size(), 9U);
  EXPECT_EQ(columns[4], (Json{{"name", "Incremental Bytes"},
                              {"type", "integer"},
                              {"format", "int64"},
                              {"jsonPath", ".status.incrementalBytes"},
                              {"priority", 10}}));
  EXPECT_FALSE(definition_of(kBackup)["spec"]["versions"][0].contains("additionalPrinterColumns"));
}

TEST(MissingFields, AreNoneOfOurOwnDefinitions) {
  for (const Json& definition : custom_resource_definitions()) EXPECT_THAT(missing_fields(definition), IsEmpty());
}

TEST(MissingFields, NamesWhatAnOlderDefinitionWouldDrop) {
  Json found = definition_of(kBackup);
  Json& fields = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
  fields["spec"]["properties"].erase("cancel");
  fields["status"]["properties"]["progress"]["properties"].erase("stalled");
  fields["spec"]["properties"]["hooks"]["properties"]["resources"]["items"]["properties"].erase("post");
  fields["spec"]["properties"]["added"] = {{"type", "string"}};  // a newer release may have more
  EXPECT_THAT(missing_fields(found),
              UnorderedElementsAre("spec.cancel", "spec.hooks.resources[].post", "status.progress.stalled"));
}

TEST(MissingFields, TakesAnythingForADefinition) {
  const Json odd = {
      {"spec", {{"versions", {{{"schema", {{"openAPIV3Schema", {{"properties", {{"a", {{"format", 3}}}}}}}}}}}}}}};
  EXPECT_THAT(schema_fields(odd), ElementsAre("a any "));
  EXPECT_THAT(missing_fields(Json()), IsEmpty());
  EXPECT_THAT(missing_fields({{"metadata", {{"name", "widgets.example.com"}}}}), IsEmpty());
  const Json bare = {{"metadata", {{"name", "backups.velero.io"}}}, {"spec", {{"versions", "none"}}}};
  EXPECT_THAT(missing_fields(bare), ElementsAre("apiVersion", "kind", "metadata", "spec", "status"));
}

}  // namespace
}  // namespace landfall::api
