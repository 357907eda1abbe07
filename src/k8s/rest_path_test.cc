#include "k8s/rest_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::k8s {
namespace {

using testing::HasSubstr;

const GroupVersionResource kDeployments{"apps", "v1", "deployments"};
const GroupVersionResource kPods{"", "v1", "pods"};

TEST(RestPath, KeepsTheCoreGroupApart) {
  EXPECT_EQ(api_path({"", "v1"}), "/api/v1");
  EXPECT_EQ(api_path({"apps", "v1"}), "/apis/apps/v1");
}

TEST(RestPath, LeadsToACollection) {
  EXPECT_EQ(collection_path(kDeployments, "shop"), "/apis/apps/v1/namespaces/shop/deployments");
  EXPECT_EQ(collection_path(kPods, ""), "/api/v1/pods");
}

TEST(RestPath, LeadsToAnObjectAndItsSubresource) {
  EXPECT_EQ(object_path(kDeployments, "shop", "web"), "/apis/apps/v1/namespaces/shop/deployments/web");
  EXPECT_EQ(object_path(kDeployments, "shop", "web", "status"), "/apis/apps/v1/namespaces/shop/deployments/web/status");
  EXPECT_EQ(object_path({"", "v1", "namespaces"}, "", "shop"), "/api/v1/namespaces/shop");
}

TEST(RestPath, NeverTakesACollectionForAnObject) {
  const auto path = object_path(kPods, "shop", "");

  ASSERT_FALSE(path);
  EXPECT_EQ(path.error(), Error(Code::kInvalid, "invalid resource name \"\": must not be empty"));
}

TEST(RestPath, RefusesNamesThatWouldLeadElsewhere) {
  for (const char* const name : {"..", ".", "a/b", "../../secrets", "a%2fb"}) {
    EXPECT_FALSE(object_path(kPods, "shop", name)) << name;
    EXPECT_FALSE(object_path(kPods, name, "web")) << name;
    EXPECT_FALSE(object_path(kPods, "shop", "web", name)) << name;
    EXPECT_FALSE(collection_path({name, "v1", "pods"}, "shop")) << name;
    EXPECT_FALSE(collection_path({"", name, "pods"}, "shop")) << name;
    EXPECT_FALSE(collection_path({"", "v1", name}, "shop")) << name;
  }
  EXPECT_THAT(object_path(kPods, "a/b", "web").error().message(),
              HasSubstr("invalid namespace \"a/b\": may not contain '/'"));
}

TEST(RestPath, NeedsAVersionAndAResource) {
  EXPECT_FALSE(collection_path({"apps", "", "deployments"}, ""));
  EXPECT_FALSE(collection_path({"apps", "v1", ""}, ""));
}

TEST(RestPath, EscapesWhatGoEscapes) {
  EXPECT_EQ(object_path({"rbac.authorization.k8s.io", "v1", "clusterroles"}, "", "system:node"),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node");
  EXPECT_EQ(object_path(kPods, "shop", "a b?c#d\xC3\xA4"), "/api/v1/namespaces/shop/pods/a%20b%3Fc%23d%C3%A4");
  EXPECT_EQ(escape_path("/-_.~$&+,:;=@"), "/-_.~$&+,:;=@");
  EXPECT_EQ(escape_path("!'()*[]\"<>\\^`{|}%"), "%21%27%28%29%2A%5B%5D%22%3C%3E%5C%5E%60%7B%7C%7D%25");
}

}  // namespace
}  // namespace landfall::k8s
