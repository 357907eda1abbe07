#include "archive/item_path.h"

#include <gtest/gtest.h>

namespace landfall::archive {
namespace {

TEST(ItemPath, ReadsEveryFormOfVelerosLayout) {
  const ItemPath pod{.resource = {"", "pods"}, .version = "", .namespace_name = "shop", .name = "db-0"};
  EXPECT_EQ(parse_item_path("resources/pods/namespaces/shop/db-0.json"), pod);

  ItemPath copy = pod;
  copy.version = "v1";
  copy.is_preferred = true;
  EXPECT_EQ(parse_item_path("resources/pods/v1-preferredversion/namespaces/shop/db-0.json"), copy);

  copy.is_preferred = false;
  EXPECT_EQ(parse_item_path("resources/pods/v1/namespaces/shop/db-0.json"), copy);

  const ItemPath cluster_role{.resource = {"rbac.authorization.k8s.io", "clusterroles"},
                              .version = "",
                              .namespace_name = "",
                              .name = "system:node"};
  EXPECT_EQ(parse_item_path("resources/clusterroles.rbac.authorization.k8s.io/cluster/system:node.json"), cluster_role);
}

TEST(ItemPath, WritesWhatItReads) {
  for (const char* path : {"resources/pods/namespaces/shop/db-0.json", "resources/nodes/cluster/a.b.json",
                           "resources/deployments.apps/v1-preferredversion/namespaces/shop/web.json",
                           "resources/deployments.apps/v1beta1/namespaces/shop/web.json"}) {
    EXPECT_EQ(parse_item_path(path).map([](const ItemPath& item) { return item.to_string(); }), path);
  }
}

TEST(ItemPath, TellsOtherFilesFromBrokenItems) {
  EXPECT_EQ(parse_item_path("metadata/version").error().code(), Code::kNotFound);
  for (const char* path :
       {"resources/pods", "resources/pods/namespaces/shop", "resources/pods/cluster/", "resources//cluster/a.json",
        "resources/pods/namespaces/../a.json", "resources/pods/cluster/a.yaml", "resources/pods/cluster/.json",
        "resources/pods/v1/elsewhere/a.json", "resources/pods/cluster/...json",
        "resources/pods/-preferredversion/cluster/a.json", "resources/pods/cluster/a/b.json"}) {
    const auto parsed = parse_item_path(path);
    ASSERT_FALSE(parsed) << path;
    EXPECT_EQ(parsed.error().code(), Code::kInvalid) << path;
    EXPECT_NE(parsed.error().message().find(path), std::string::npos) << parsed.error().message();
  }
}

}  // namespace
}  // namespace landfall::archive
