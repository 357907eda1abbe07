#pragma once

#include "kube/raw_list.h"
#include "kube_conformance/fixture.h"

namespace landfall::kube {

inline std::vector<std::string> names_of(const std::vector<json::Json>& items) {
  std::vector<std::string> names;
  for (const json::Json& item : items) {
    names.emplace_back(k8s::ObjectView(item).name());
  }
  return names;
}

TEST_P(KubeConformance, ListsPageByPage) {
  for (const std::string name : {"a", "b", "c", "d", "e", "f", "g"}) {
    ASSERT_TRUE(config_maps().create(labelled(name, "mine", "yes"), {}));
  }
  const auto paged = config_maps().list({.label_selector = "mine", .page_size = 3}, {});
  const auto whole = config_maps().list({.label_selector = "mine"}, {});
  ASSERT_TRUE(paged && whole);
  EXPECT_THAT(names_of(paged->items), testing::ElementsAre("a", "b", "c", "d", "e", "f", "g"));
  EXPECT_EQ(paged->items, whole->items);
  EXPECT_EQ(paged->items[0]["kind"], "ConfigMap");
  EXPECT_EQ(paged->items[0]["apiVersion"], "v1");
  EXPECT_FALSE(paged->resource_version.empty());

  RawList raw(config_maps(), {.label_selector = "mine", .page_size = 2});
  std::vector<json::Json> objects;
  int pages = 0;
  while (true) {
    auto next = raw.next({});
    ASSERT_TRUE(next) << next.error().message();
    if (!next->page) {
      break;
    }
    ++pages;
    for (const RawItem& item : next->page->items()) {
      EXPECT_EQ(item.name_space, name_space_);
      std::string bytes;
      next->page->append_object(item, bytes);
      objects.push_back(json::parse(bytes).value());
      EXPECT_EQ(item.name, k8s::ObjectView(objects.back()).name());
    }
  }
  EXPECT_EQ(pages, 4);
  EXPECT_EQ(objects, whole->items);
}

TEST_P(KubeConformance, PagesAreOneMoment) {
  for (const std::string name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(config_maps().create(config_map(name), {}));
  }
  RawList raw(config_maps(), {.field_selector = "metadata.name!=kube-root-ca.crt", .page_size = 2});
  const auto first = raw.next({});
  ASSERT_TRUE(first && first->page);
  ASSERT_TRUE(config_maps().remove("c", {}));
  ASSERT_TRUE(config_maps().create(config_map("cc"), {}));
  const auto second = raw.next({});
  ASSERT_TRUE(second && second->page) << second.error().message();
  std::vector<std::string> names;
  for (const RawItem& item : second->page->items()) {
    names.emplace_back(item.name);
  }
  EXPECT_THAT(names, testing::ElementsAre("c", "d"));
}

TEST_P(KubeConformance, SelectsByLabelsAndFields) {
  ASSERT_TRUE(config_maps().create(labelled("a", "tier", "web"), {}));
  ASSERT_TRUE(config_maps().create(labelled("b", "tier", "db"), {}));
  ASSERT_TRUE(config_maps().create(labelled("c", "other", ""), {}));
  const auto selected = [&](const ListOptions& options) {
    const auto list = config_maps().list(options, {});
    return list ? names_of(list->items) : std::vector<std::string>{list.error().message()};
  };
  using testing::ElementsAre;
  EXPECT_THAT(selected({.label_selector = "tier=web"}), ElementsAre("a"));
  EXPECT_THAT(selected({.label_selector = "tier in (web, db),!other"}), ElementsAre("a", "b"));
  EXPECT_THAT(selected({.label_selector = "tier,tier!=web"}), ElementsAre("b"));
  EXPECT_THAT(selected({.label_selector = "other="}), ElementsAre("c"));
  EXPECT_THAT(selected({.field_selector = "metadata.name=b"}), ElementsAre("b"));
  EXPECT_THAT(selected({.label_selector = "tier", .field_selector = "metadata.name!=b"}), ElementsAre("a"));
  EXPECT_EQ(error_of(config_maps().list({.label_selector = "a=="}, {})).code(), Code::kInternal)
      << "an empty value is a value";
  EXPECT_EQ(error_of(config_maps().list({.label_selector = "a in b"}, {})).code(), Code::kInvalid);
  EXPECT_EQ(error_of(config_maps().list({.field_selector = "spec.nothing=1"}, {})).code(), Code::kInvalid);
}

TEST_P(KubeConformance, ListsOverAllNamespaces) {
  ASSERT_TRUE(config_maps().create(labelled("a", "everywhere", name_space_), {}));
  const auto list = Resource(*client_, kConfigMaps).list({.label_selector = "everywhere=" + name_space_}, {});
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_THAT(names_of(list->items), testing::ElementsAre("a"));
}

TEST_P(KubeConformance, ListsFromTheCacheAndAtAVersion) {
  const auto object = config_maps().create(config_map("a"), {});
  ASSERT_TRUE(object);
  EXPECT_TRUE(config_maps().list({.resource_version = "0"}, {}));
  const auto at_least =
      config_maps().list({.resource_version = version(*object), .resource_version_match = "NotOlderThan"}, {});
  ASSERT_TRUE(at_least) << at_least.error().message();
  EXPECT_THAT(names_of(at_least->items), testing::Contains("a"));
  EXPECT_EQ(error_of(config_maps().list({.resource_version = "no number"}, {})).code(), Code::kInvalid);
}

TEST_P(KubeConformance, RefusesATokenThatItDidNotGive) {
  const Call call{.path = "/api/v1/namespaces/" + name_space_ + "/configmaps",
                  .query = {{"limit", "1"}, {"continue", "made-up"}}};
  const Error error = error_of(client_->call(call, {}));
  EXPECT_EQ(error.code(), Code::kInvalid) << error.message();
  EXPECT_EQ(status_of(error).http_status, 400);
}

}  // namespace landfall::kube
