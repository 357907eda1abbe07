#include "operation/item_operation.h"

#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "json/json.h"

namespace landfall::operation {
namespace {

using json::Json;

// As Velero writes it: the references of objects have keys in capitals.
const Json kVelero = Json::parse(R"([{
  "spec": {"backupName": "nightly", "backupUID": "5e0c", "backupItemAction": "velero.io/csi-pvc-backupper",
           "resourceIdentifier": {"Group": "", "Resource": "persistentvolumeclaims", "Namespace": "shop", "Name": "data-db-0"},
           "operationID": "du-5e0c.77aa",
           "postOperationItems": [{"Group": "velero.io", "Resource": "datauploads", "Namespace": "velero", "Name": "nightly-b2x9d"}]},
  "status": {"phase": "Completed", "nCompleted": 1048576, "nTotal": 1048576, "operationUnits": "Bytes", "description": "Completed",
             "created": "2026-05-20T01:00:04Z", "started": "2026-05-20T01:00:06Z", "updated": "2026-05-20T01:00:08Z"}}])");

TEST(ItemOperation, IsReadAndWrittenAsVeleroDoes) {
  const auto operations = read_operations(kVelero, OperationOwner::kBackup).value();
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_EQ(operations[0].phase, OperationPhase::kCompleted);
  EXPECT_EQ(operations[0].item.name, "data-db-0");
  EXPECT_EQ(operations[0].after_operation.front().resource.group, "velero.io");
  EXPECT_EQ(operations[0].created, parse_rfc3339("2026-05-20T01:00:04Z").value());
  EXPECT_EQ(to_json(operations, OperationOwner::kBackup), kVelero);
}

TEST(ItemOperation, OfARestoreNamesTheRestore) {
  ItemOperation operation;
  operation.owner_name = "back";
  operation.operation_id = "x";
  const Json written = to_json({operation}, OperationOwner::kRestore);
  EXPECT_EQ(written[0]["spec"]["restoreName"].get<std::string>(), "back");
  EXPECT_EQ(read_operations(written, OperationOwner::kRestore).value().front(), operation);
}

TEST(ItemOperation, NoneIsNullOrAnEmptyList) {
  EXPECT_TRUE(read_operations(nullptr, OperationOwner::kBackup).value().empty());
  EXPECT_EQ(to_json({}, OperationOwner::kBackup), Json::array());
}

TEST(ItemOperation, RefusesWhatIsNoList) {
  EXPECT_EQ(read_operations(Json{{"a", 1}}, OperationOwner::kBackup).error().code(), Code::kDataLoss);
  EXPECT_EQ(read_operations(Json::array({Json::object()}), OperationOwner::kBackup).error().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace landfall::operation
