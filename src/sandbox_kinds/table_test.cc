#include "sandbox_kinds/table.h"

#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "sandbox_kinds/crd.h"
#include "sandbox_kinds/defaults_test_cases.h"
#include "sandbox_kinds/printer_path.h"
#include "sandbox_kinds/printer_values.h"

namespace landfall::sandbox {
namespace {

using json::Json;

TEST(Tables, ShowWhatARealServerShows) {
  const Json file = read_cases("tables.json");
  const WallTime now = parse_rfc3339(file["now"].get<std::string>()).value_or(WallTime{});
  for (const Json& test : file["cases"]) {
    const Json& object = test["object"];
    const KindInfo& kind = kind_of_object(object);
    const Json cells = table_row_cells(kind, object, now);
    EXPECT_EQ(json::dump(cells), json::dump(test["cells"])) << kind.kind;
    EXPECT_EQ(table_columns(kind).size(), cells.size()) << kind.kind;
  }
}

TEST(Tables, OfCustomResourcesFollowTheirDefinition) {
  KindInfo kind;
  kind.crd = std::make_shared<CrdDetails>(
      CrdDetails{.printer_columns = {
                     {.name = "Title", .type = "string", .json_path = ".spec.title"},
                     {.name = "Pages", .type = "integer", .json_path = ".spec.pages"},
                     {.name = "Ready", .type = "string", .json_path = ".status.conditions[?(@.type=='Ready')].status"},
                     {.name = "Tags", .type = "string", .json_path = ".spec.tags"},
                     {.name = "Age", .type = "date", .json_path = ".metadata.creationTimestamp"}}});
  const Json book = {
      {"metadata", {{"name", "typee"}, {"creationTimestamp", "2026-01-01T00:00:00Z"}}},
      {"spec", {{"title", "Typee"}, {"pages", 300}, {"tags", {"sea"}}}},
      {"status", {{"conditions", {{{"type", "New"}, {"status", "False"}}, {{"type", "Ready"}, {"status", "True"}}}}}}};
  const WallTime now = *parse_rfc3339("2026-01-01T02:00:00Z");
  EXPECT_EQ(table_row_cells(kind, book, now), Json::array({"typee", "Typee", 300, "True", R"(["sea"])", "120m"}));
  EXPECT_EQ(table_columns(kind)[2]["type"], "integer");
  EXPECT_EQ(table_row_cells(kind, {{"metadata", {{"name", "x"}}}}, now)[1], nullptr);
}

TEST(HumanDuration, GetsCoarserWithTime) {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  EXPECT_EQ(human_duration(seconds(119)), "119s");
  EXPECT_EQ(human_duration(minutes(9) + seconds(59)), "9m59s");
  EXPECT_EQ(human_duration(minutes(179)), "179m");
  EXPECT_EQ(human_duration(hours(5) + minutes(30)), "5h30m");
  EXPECT_EQ(human_duration(hours(47)), "47h");
  EXPECT_EQ(human_duration(hours(24 * 3 + 4)), "3d4h");
  EXPECT_EQ(human_duration(hours(24 * 318)), "318d");
  EXPECT_EQ(human_duration(hours(24 * 365 * 2)), "2y");
  EXPECT_EQ(human_duration(seconds(-5)), "<invalid>");
}

TEST(FindByPath, RefusesWhatItCannotRead) {
  const Json document = {{"a", {{"b.c", {1, 2, 3}}}}};
  EXPECT_EQ(*find_by_path(document, ".a['b.c'][-1]")->front(), 3);
  EXPECT_EQ(*find_by_path(document, R"(.a.b\.c[0])")->front(), 1);
  EXPECT_TRUE(find_by_path(document, ".a.x.y")->empty());
  EXPECT_FALSE(find_by_path(document, ".a[").has_value());
  EXPECT_FALSE(find_by_path(document, "a").has_value());
}

}  // namespace
}  // namespace landfall::sandbox
