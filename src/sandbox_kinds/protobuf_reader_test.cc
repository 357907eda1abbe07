#include "sandbox_kinds/protobuf_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "json/json.h"

namespace landfall::sandbox {
namespace {

std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>((number << 3) | 2)) + std::string(1, static_cast<char>(bytes.size())) + bytes;
}

std::string number(int which, int value) {
  return std::string(1, static_cast<char>(which << 3)) + std::string(1, static_cast<char>(value));
}

std::string body_of(const std::string& api_version, const std::string& kind, const std::string& raw) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) + field(2, raw);
}

// metadata.name, an empty generateName as Go sends it, and two entries of data.
const std::string kConfigMap =
    body_of("v1", "ConfigMap",
            field(1, field(1, "web") + field(2, "")) + field(2, field(1, "a") + field(2, "b")) +
                field(2, field(1, "c") + field(2, "")));

TEST(ProtobufReader, ReadsNamesAndMapsAndForgetsWhatIsZero) {
  const json::Json expected = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "web"}}}, {"data", {{"a", "b"}, {"c", ""}}}};
  EXPECT_EQ(read_protobuf(kConfigMap).value(), expected);
}

TEST(ProtobufReader, KeepsAZeroThatMeansSomething) {
  // spec.replicas is a pointer: no replicas is not the same as nothing said.
  const auto deployment = read_protobuf(body_of("apps/v1", "Deployment", field(2, number(1, 0)))).value();
  EXPECT_EQ(deployment["spec"]["replicas"], 0);
}

TEST(ProtobufReader, PutsInlinedMessagesWhereJsonHasThem) {
  const std::string volume = field(1, "v") + field(2, field(2, ""));  // name, volumeSource{emptyDir{}}
  const auto pod = read_protobuf(body_of("v1", "Pod", field(2, field(1, volume)))).value();
  const json::Json expected = {{"name", "v"}, {"emptyDir", json::Json::object()}};
  EXPECT_EQ(pod["spec"]["volumes"][0], expected);
}

TEST(ProtobufReader, RefusesWhatIsCutOrUnknown) {
  EXPECT_EQ(read_protobuf("{}").error().code(), Code::kInvalid);
  EXPECT_EQ(read_protobuf(kConfigMap.substr(0, kConfigMap.size() - 1)).error().code(), Code::kInvalid);
  EXPECT_EQ(read_protobuf(body_of("x/v1", "Thing", "")).error().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace landfall::sandbox
