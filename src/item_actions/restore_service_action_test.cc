#include "item_actions/restore_service_action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item_actions/test_restore_input.h"

namespace landfall::item_actions {
namespace {

using json::Json;
using testing::HasSubstr;

constexpr const char* kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

Json service() {
  return yaml(R"(
metadata: {name: web, annotations: {}}
spec:
  type: NodePort
  clusterIP: 10.0.0.1
  clusterIPs: [10.0.0.1]
  ports:
  - {name: http, port: 80, protocol: TCP, nodePort: 30080}
  - {name: https, port: 443, protocol: TCP, nodePort: 30443}
)");
}

Json applied(std::string text) {
  Json item = service();
  item["metadata"]["annotations"][kAnnotation] = std::move(text);
  return item;
}

// The node ports that are left, 0 for none.
std::vector<std::int64_t> ports_after(const Json& item, const api::RestoreSpec& spec = {}) {
  std::vector<std::int64_t> ports;
  const Json changed = changed_by(*make_restore_service_action(spec), item);
  for (const Json& port : changed["spec"]["ports"]) ports.push_back(json::int_or(port, {"nodePort"}, 0));
  return ports;
}

using Ports = std::vector<std::int64_t>;

TEST(RestoreServiceAction, DropsClusterAddressesButKeepsAServiceHeadless) {
  const auto action = make_restore_service_action({});
  const Json changed = changed_by(*action, service());
  EXPECT_FALSE(changed["spec"].contains("clusterIP"));
  EXPECT_FALSE(changed["spec"].contains("clusterIPs"));
  const Json headless = yaml("{spec: {clusterIP: None, clusterIPs: [None], ports: [{port: 80}]}}");
  EXPECT_EQ(run(*action, headless, headless).value().changed, nullptr);
}

TEST(RestoreServiceAction, DropsNodePortsThatNobodyChose) {
  EXPECT_EQ(ports_after(service()), (Ports{0, 0}));
  EXPECT_EQ(ports_after(applied("{}")), (Ports{0, 0}));
  EXPECT_EQ(ports_after(applied("null")), (Ports{0, 0}));
  EXPECT_EQ(ports_after(applied(R"({"spec":{"ports":[{"name":"http","nodePort":0},{"name":"https"},7]}})")),
            (Ports{0, 0}));
}

TEST(RestoreServiceAction, PreservesNodePortsWhenAsked) {
  EXPECT_EQ(ports_after(service(), {.preserve_node_ports = true}), (Ports{30080, 30443}));
  // Then nobody reads the annotation.
  EXPECT_EQ(ports_after(applied("{broken"), {.preserve_node_ports = true}), (Ports{30080, 30443}));
}

TEST(RestoreServiceAction, KeepsPortsThatTheAnnotationNames) {
  EXPECT_EQ(ports_after(applied(R"({"spec":{"ports":[{"name":"https","nodePort":30443}]}})")), (Ports{0, 30443}));
  EXPECT_EQ(ports_after(applied(R"({"spec":{"ports":[{"name":"http","nodePort":"30080"}]}})")), (Ports{30080, 0}));
  // The name decides, not the number.
  EXPECT_EQ(ports_after(applied(R"({"spec":{"ports":[{"name":"http","nodePort":31111}]}})")), (Ports{30080, 0}));
}

TEST(RestoreServiceAction, KnowsPortsWithoutANameByTheirNumber) {
  Json item = applied(R"({"spec":{"ports":[{"port":80,"nodePort":30080}]}})");
  EXPECT_EQ(ports_after(item), (Ports{0, 0}));  // they have names
  item["spec"]["ports"][0].erase("name");
  item["spec"]["ports"][1].erase("name");
  EXPECT_EQ(ports_after(item), (Ports{30080, 0}));
  // An empty name is a name, and that of no port.
  item["metadata"]["annotations"][kAnnotation] = R"({"spec":{"ports":[{"name":"","nodePort":30080}]}})";
  EXPECT_EQ(ports_after(item), (Ports{0, 0}));
}

TEST(RestoreServiceAction, KeepsPortsThatManagersHaveSet) {
  Json item = service();
  item["metadata"]["managedFields"] = yaml(R"(
- {manager: a}
- manager: b
  fieldsV1: {"f:spec": {"f:ports": {".": {}, 'k:{"port":443,"protocol":"TCP"}': {"f:nodePort": {}}, 'k:{"port":80,"protocol":"TCP"}': {"f:port": {}}}}}
- manager: c
  fieldsV1: {"f:spec": {"f:type": {}}}
)");
  EXPECT_EQ(ports_after(item), (Ports{0, 30443}));
  // With the annotation it alone counts.
  item["metadata"]["annotations"][kAnnotation] = "{}";
  EXPECT_EQ(ports_after(item), (Ports{0, 0}));
}

TEST(RestoreServiceAction, FailsOverNotesThatCannotBeRead) {
  const auto action = make_restore_service_action({});
  const auto error_of = [&](const Json& item) {
    const auto result = run(*action, item, item);
    EXPECT_FALSE(result) << item.dump();
    return result ? Error(Code::kInternal, "") : result.error();
  };
  for (const char* text :
       {"", "{", "[]", "7", R"({"spec":[]})", R"({"spec":{"ports":{}}})", R"({"spec":{"ports":[{"nodePort":"many"}]}})",
        R"({"spec":{"ports":[{"nodePort":30080,"name":7}]}})"}) {
    const Error error = error_of(applied(text));
    EXPECT_EQ(error.code(), Code::kInvalid) << text;
    EXPECT_THAT(error.message(), HasSubstr(kAnnotation)) << text;
  }
  EXPECT_EQ(error_of(applied(std::string(100'000, '['))).code(), Code::kTooLarge);
  Json item = service();
  for (const char* fields : {"[]", "{f:spec: 1}", "{f:spec: {f:ports: []}}"}) {
    item["metadata"]["managedFields"] = Json::array({{{"fieldsV1", yaml(fields)}}});
    EXPECT_THAT(error_of(item).message(), HasSubstr("metadata.managedFields")) << fields;
  }
}

TEST(RestoreServiceAction, TakesHugeNumbersForNoPort) {
  EXPECT_EQ(
      ports_after(applied(R"({"spec":{"ports":[{"name":"http","nodePort":1e300},{"name":"https","nodePort":-1}]}})")),
      (Ports{0, 0}));
}

TEST(RestoreServiceAction, LeavesPortsOfExternalNamesAlone) {
  Json item = applied("{broken");
  item["spec"]["type"] = "ExternalName";
  EXPECT_EQ(ports_after(item), (Ports{30080, 30443}));
}

TEST(RestoreServiceAction, DropsAHealthCheckPortUnlessSomebodyChoseIt) {
  const auto port_after = [](const Json& item) {
    return json::int_or(changed_by(*make_restore_service_action({}), item), {"spec", "healthCheckNodePort"}, 0);
  };
  Json item = yaml(
      "{metadata: {annotations: {}}, spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: "
      "32000}}");
  EXPECT_EQ(port_after(item), 0);
  Json cluster = item;
  cluster["spec"]["externalTrafficPolicy"] = "Cluster";
  EXPECT_EQ(port_after(cluster), 32000);
  Json chosen = item;
  chosen["metadata"]["annotations"][kAnnotation] = R"({"spec":{"healthCheckNodePort":32000}})";
  EXPECT_EQ(port_after(chosen), 32000);
  chosen["metadata"]["annotations"][kAnnotation] = R"({"spec":{"healthCheckNodePort":0}})";
  EXPECT_EQ(port_after(chosen), 0);
  // Either note will do.
  chosen["metadata"]["managedFields"] = yaml("[{fieldsV1: {'f:spec': {'f:healthCheckNodePort': {}}}}]");
  EXPECT_EQ(port_after(chosen), 32000);
  chosen["metadata"]["annotations"][kAnnotation] = R"({"spec":{"healthCheckNodePort":"x"}})";
  EXPECT_FALSE(run(*make_restore_service_action({}), chosen, chosen));
}

}  // namespace
}  // namespace landfall::item_actions
