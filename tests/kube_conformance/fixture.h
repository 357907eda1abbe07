#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "kube/api_status.h"
#include "kube/client.h"
#include "kube/resource.h"

namespace landfall::kube {

// An API to be judged: a client of it and what keeps it alive.
struct ConformanceTarget {
  std::string name;
  std::function<std::shared_ptr<Client>()> connect;
};
inline std::ostream& operator<<(std::ostream& out, const ConformanceTarget& target) { return out << target.name; }

inline const k8s::GroupVersionResource kNamespaces{"", "v1", "namespaces"};
inline const k8s::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline const k8s::GroupVersionResource kSecrets{"", "v1", "secrets"};
inline const k8s::GroupVersionResource kDeployments{"apps", "v1", "deployments"};
inline const k8s::GroupVersionResource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
inline const k8s::GroupVersionResource kCrds{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

class KubeConformance : public testing::TestWithParam<ConformanceTarget> {
 protected:
  void SetUp() override {
    client_ = GetParam().connect();
    ASSERT_NE(client_, nullptr);
    name_space_ = "conformance-" + name_suffix(system_random(), 8);
    const auto created =
        Resource(*client_, kNamespaces)
            .create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_space_}}}}, {});
    ASSERT_TRUE(created) << created.error().message();
  }
  void TearDown() override {
    if (client_ && !name_space_.empty()) {
      EXPECT_TRUE(Resource(*client_, kNamespaces).remove(name_space_, {}));
    }
  }

  Resource resource(const k8s::GroupVersionResource& id) const { return {*client_, id, name_space_}; }
  Resource config_maps() const { return resource(kConfigMaps); }
  Resource deployments() const { return resource(kDeployments); }

  static json::Json config_map(const std::string& name, const std::string& value = "1") {
    return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", {{"value", value}}}};
  }
  static json::Json labelled(const std::string& name, const std::string& key, const std::string& value) {
    json::Json object = config_map(name);
    object["metadata"]["labels"][key] = value;
    return object;
  }
  static json::Json deployment(const std::string& name) {
    return json::parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name + R"("},
      "spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"web","image":"example.com/web:1","env":[{"name":"A","value":"1"}]}]}}}})")
        .value();
  }
  // A custom resource of its own for this case; unknown fields stay.
  json::Json custom_resource_definition(const std::string& plural) const {
    return json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":")" +
                       plural + "." + group() + R"("},
      "spec":{"group":")" +
                       group() + R"(","scope":"Namespaced",
        "names":{"plural":")" +
                       plural + R"(","singular":"thing","kind":"Thing","listKind":"ThingList","shortNames":["th"],
                 "categories":["all"]},
        "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
          "schema":{"openAPIV3Schema":{"type":"object","properties":{
            "spec":{"type":"object","properties":{"size":{"type":"integer","default":3}}},
            "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
            "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})")
        .value();
  }
  std::string group() const { return name_space_ + ".example.com"; }

  // Makes a custom resource and waits until it is served.
  Result<Resource> serve_things() const {
    const Resource crds(*client_, kCrds);
    TRY("create", crds.create(custom_resource_definition("things"), {}));
    Resource things = resource({group(), "v1", "things"});
    const SteadyTime deadline = client_->clock().after(std::chrono::seconds(30));
    while (true) {
      const auto list = things.list({}, {});
      if (list) {
        return things;
      }
      if (client_->clock().now() > deadline) {
        return fail("not served", list.error());
      }
      client_->clock().sleep_for(std::chrono::milliseconds(20), {});
    }
  }

  static std::string text(const json::Json& object, std::initializer_list<std::string_view> path) {
    return json::string_or(object, json::Path(path), "");
  }
  static std::string version(const json::Json& object) { return text(object, {"metadata", "resourceVersion"}); }

  std::shared_ptr<Client> client_;
  std::string name_space_;
};

// The error of a result that should not have succeeded.
template <class T>
Error error_of(const Result<T>& result) {
  return result ? Error(Code::kInternal, "it succeeded") : result.error();
}

inline ApiStatus status_of(const Error& error) {
  const auto* status = error.detail<ApiStatus>();
  return status == nullptr ? ApiStatus() : *status;
}

}  // namespace landfall::kube
