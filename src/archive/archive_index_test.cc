#include "archive/archive_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive_index_builder.h"
#include "archive/summary.h"
#include "archive/test_archives.h"
#include "io/file.h"

namespace landfall::archive {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kWidgets{"example.com", "widgets"};

std::unique_ptr<const ArchiveIndex> index_of(const std::vector<std::string>& paths) {
  ArchiveIndexBuilder builder(1UL << 30U);
  std::uint64_t offset = 0;
  for (const std::string& path : paths) {
    const ItemPath item = parse_item_path(path).value();
    EXPECT_TRUE(builder.add(item, builder.place(item).value(), {.offset = offset, .size = 10}));
    offset += 10;
  }
  return std::move(builder).finish();
}

template <class Items>
std::vector<std::string> names(Items&& items) {
  std::vector<std::string> all;
  for (const IndexedItem item : items) {
    all.push_back(std::string(item.namespace_name()) + "/" + std::string(item.name()));
  }
  return all;
}

const std::vector<std::string> kPaths = {
    "resources/pods/namespaces/b/2.json",
    "resources/pods/v1-preferredversion/namespaces/b/2.json",
    "resources/namespaces/cluster/b.json",
    "resources/pods/namespaces/a/1.json",
    "resources/pods/namespaces/b/1.json",
    "resources/widgets.example.com/v1beta1/namespaces/a/w.json",
    "resources/widgets.example.com/v1-preferredversion/namespaces/a/w.json",
    "resources/widgets.example.com/namespaces/a/w.json",
    "resources/widgets.example.com/v1beta1/namespaces/a/old.json",
};

TEST(ArchiveIndex, KeepsTheArchivesOrder) {
  const auto index = index_of(kPaths);
  EXPECT_THAT(names(index->items()), ElementsAre("b/2", "/b", "a/1", "b/1", "a/w", "a/old"));
  std::vector<std::string> resources;
  for (const IndexedResource& resource : index->resources()) {
    resources.push_back(k8s::to_string(resource.resource));
  }
  EXPECT_THAT(resources, ElementsAre("pods", "namespaces", "widgets.example.com"));
  const IndexedResource& pods = *index->find(kPods);
  EXPECT_THAT(index->namespaces(pods), ElementsAre("b", "a"));
  EXPECT_THAT(names(index->items(pods)), ElementsAre("b/2", "b/1", "a/1"));
  EXPECT_THAT(names(index->items(pods, "b")), ElementsAre("b/2", "b/1"));
  EXPECT_THAT(names(index->items(pods, "a")), ElementsAre("a/1"));
  EXPECT_THAT(names(index->items(pods, "c")), IsEmpty());
  EXPECT_THAT(names(index->items(pods, "")), IsEmpty());
  EXPECT_THAT(names(index->items(*index->find({"", "namespaces"}), "")), ElementsAre("/b"));
}

TEST(ArchiveIndex, FindsObjects) {
  const auto index = index_of(kPaths);
  const auto pod = index->find(kPods, "b", "1");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->resource(), kPods);
  EXPECT_EQ(pod->content(), (Extent{.offset = 40, .size = 10}));
  EXPECT_THAT(pod->versions(), IsEmpty());
  EXPECT_EQ(pod->path(), "resources/pods/namespaces/b/1.json");
  EXPECT_FALSE(index->find(kPods, "a", "2"));
  EXPECT_FALSE(index->find(kPods, "", "1"));
  EXPECT_FALSE(index->find(kPods, "c", "1"));
  EXPECT_FALSE(index->find({"", "secrets"}, "b", "1"));
  EXPECT_EQ(index->find({"", "secrets"}), nullptr);
}

TEST(ArchiveIndex, KnowsTheVersionsOfAResourceAndOfAnObject) {
  const auto index = index_of(kPaths);
  const IndexedResource& widgets = *index->find(kWidgets);
  ASSERT_EQ(widgets.versions.size(), 2);
  EXPECT_EQ(widgets.versions[0].version, "v1beta1");
  EXPECT_FALSE(widgets.versions[0].is_preferred);
  EXPECT_EQ(widgets.versions[0].objects, 2);
  EXPECT_EQ(widgets.versions[1].version, "v1");
  EXPECT_TRUE(widgets.versions[1].is_preferred);
  EXPECT_EQ(widgets.versions[1].objects, 1);

  const auto both = index->find(kWidgets, "a", "w");
  EXPECT_EQ(both->content(), (Extent{.offset = 70, .size = 10}));
  EXPECT_THAT(both->versions(), ElementsAre(ItemVersion{"v1beta1", false, {.offset = 50, .size = 10}},
                                            ItemVersion{"v1", true, {.offset = 60, .size = 10}}));
}

TEST(ArchiveIndex, ShowsWhatStandsOnlyInVersionDirectories) {
  const auto index = index_of(kPaths);
  const auto old = index->find(kWidgets, "a", "old");
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->content());
  EXPECT_THAT(old->versions(), ElementsAre(ItemVersion{"v1beta1", false, {.offset = 80, .size = 10}}));
  const IndexedResource& widgets = *index->find(kWidgets);
  EXPECT_EQ(widgets.items, 1);
  EXPECT_EQ(widgets.only_in_versions, 1);
  EXPECT_EQ(widgets.bytes, ByteCount(10));
  EXPECT_EQ(index->size(), 6);
  EXPECT_EQ(index->item_count(), 5);
}

TEST(ArchiveIndex, MayBeEmpty) {
  const auto index = index_of({});
  EXPECT_EQ(index->size(), 0);
  EXPECT_THAT(names(index->items()), IsEmpty());
  EXPECT_FALSE(index->find(kPods, "a", "1"));
}

TEST(ArchiveIndex, TakesAtMostAHundredBytesAnObjectBesideItsName) {
  constexpr std::size_t objects = 20'000;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < objects; ++i) {
    const std::string tail = "/namespaces/team-" + std::to_string(i % 50) + "/web-" + std::to_string(i) + ".json";
    paths.push_back("resources/pods" + tail);
    paths.push_back("resources/pods/v1-preferredversion" + tail);
  }
  const auto index = index_of(paths);
  EXPECT_EQ(index->size(), objects);
  EXPECT_LE(index->memory_bytes(), (100 + std::string_view("web-12345").size()) * objects);
  for (std::size_t i = 0; i < objects; i += 371) {
    EXPECT_TRUE(index->find(kPods, "team-" + std::to_string(i % 50), "web-" + std::to_string(i))) << i;
  }
}

TEST(ArchiveIndex, CountsAsTheSummaryDoes) {
  const std::string bytes =
      io::read_file(std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3/backups/bookshop/bookshop.tar.gz",
                    1 << 20)
          .value();
  io::StringReader source(bytes);
  const Summary summary = summarize(source, {}, [](std::string_view) {}).value();
  const auto spooled = read_archive(bytes);
  ASSERT_TRUE(spooled) << spooled.error().message();
  const ArchiveIndex& index = spooled->index();
  EXPECT_EQ(index.item_count(), summary.items);
  EXPECT_EQ(index.resources().size(), summary.resources.size());
  for (const auto& [resource, part] : summary.resources) {
    const IndexedResource& indexed = *index.find(resource);
    EXPECT_EQ(indexed.items, part.items);
    EXPECT_EQ(indexed.bytes, part.bytes);
    EXPECT_EQ(indexed.only_in_versions, 0);
    std::set<std::string> namespaces;
    for (const std::string_view name : index.namespaces(indexed)) {
      if (!name.empty()) {
        namespaces.emplace(name);
      }
    }
    EXPECT_EQ(namespaces, part.namespaces);
  }
}

}  // namespace
}  // namespace landfall::archive
