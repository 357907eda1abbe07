#include "cli/describe_pod_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "json/json.h"
#include "json/yaml.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::ElementsAre;

Json volume(const std::string& status) {
  return json::parse_yaml("{spec: {pod: {namespace: shop, name: db-0}, volume: data}, status: " + status + "}").value();
}

TEST(PodVolumesUnderWay, SayHowFarTheyAreOrWhatTheyWaitFor) {
  const WallTime now = parse_rfc3339("2026-11-16T10:00:00Z").value();
  const std::vector<Json> all = {
      volume(
          "{phase: InProgress, progress: {totalBytes: 1000, bytesDone: 370, step: Transferring, bytesPerSecond: 10}}"),
      volume("{message: \"waits: no node agent is running on node n1\"}"),
      volume("{phase: Completed, progress: {totalBytes: 1000, bytesDone: 1000}}"),
      volume("{phase: Failed, message: the disk is full}"),
  };
  EXPECT_THAT(pod_volumes_under_way(all, now),
              ElementsAre("shop/db-0, volume data: New, waits: no node agent is running on node n1",
                          testing::StartsWith("shop/db-0, volume data: transferring 370 B/1000 B (37 %)")));
}

}  // namespace
}  // namespace landfall::cli
