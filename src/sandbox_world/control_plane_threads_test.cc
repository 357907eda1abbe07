#include <fmt/format.h>

#include "json/parse.h"
#include "sandbox_world/test_world.h"

namespace landfall::sandbox {
namespace {

using json::Json;

class ControlPlane : public WorldTest {
 protected:
  void SetUp() override { begin(false); }

  // A config map that belongs to another one.
  Json dependent(const std::string& name, const Json& owner, bool blocks) {
    const k8s::ObjectView view(owner);
    return {{"metadata",
             {{"name", name},
              {"namespace", "default"},
              {"ownerReferences", Json::array({{{"apiVersion", "v1"},
                                                {"kind", "ConfigMap"},
                                                {"name", view.name()},
                                                {"uid", view.uid()},
                                                {"blockOwnerDeletion", blocks}}})}}}};
  }
  Json make(const Json& object) {
    const auto made = cluster().create(kinds().config_maps, "default", object);
    EXPECT_TRUE(made) << made.error().message();
    return made.value_or(Json::object());
  }
  Json make_plain(const std::string& name) {
    return make(Json{{"metadata", {{"name", name}, {"namespace", "default"}}}});
  }
};

TEST_F(ControlPlane, FurnishesEachNamespace) {
  apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");

  EXPECT_TRUE(eventually([&] { return is_there(kinds().service_accounts, "shop", "default"); }));
  EXPECT_TRUE(eventually([&] { return is_there(kinds().config_maps, "default", "kube-root-ca.crt"); }));

  const Json account = *cluster().get(kinds().service_accounts, "shop", "default");
  ASSERT_TRUE(cluster().remove(kinds().service_accounts, account));
  EXPECT_TRUE(becomes(kinds().service_accounts, "shop", "default",
                      [&](const Json& again) { return again["metadata"]["uid"] != account["metadata"]["uid"]; }));
}

TEST_F(ControlPlane, EmptiesANamespaceBeforeItGoes) {
  apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
  apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, namespace: shop, finalizers: [example.com/keep]}}");
  apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: shop}}");

  ASSERT_TRUE(sandbox_->api().remove(kinds().namespaces, "", "shop"));
  EXPECT_TRUE(goes(kinds().config_maps, "shop", "other"));
  EXPECT_TRUE(becomes(kinds().namespaces, "", "shop", [](const Json& left) {
    return k8s::ObjectView(left).is_condition_true("NamespaceFinalizersRemaining");
  }));
  ASSERT_TRUE(is_there(kinds().config_maps, "shop", "kept"));

  ASSERT_TRUE(cluster().modify(kinds().config_maps, *cluster().get(kinds().config_maps, "shop", "kept"),
                               [](Json& live) -> Status {
                                 live["metadata"].erase("finalizers");
                                 return {};
                               }));
  EXPECT_TRUE(goes(kinds().namespaces, "", "shop"));
}

TEST_F(ControlPlane, RemovesDependentsInTheBackground) {
  const Json owner = make_plain("owner");
  const Json middle = make(dependent("middle", owner, false));
  make(dependent("leaf", middle, false));

  ASSERT_TRUE(sandbox_->api().remove(kinds().config_maps, "default", "owner", {.propagation = "Background"}));

  EXPECT_FALSE(is_there(kinds().config_maps, "default", "owner"));
  EXPECT_TRUE(goes(kinds().config_maps, "default", "leaf"));
  EXPECT_FALSE(is_there(kinds().config_maps, "default", "middle"));
}

TEST_F(ControlPlane, KeepsADependentThatHasAnotherOwner) {
  const Json owner = make_plain("owner");
  const Json other = make_plain("other");
  Json both = dependent("both", owner, false);
  both["metadata"]["ownerReferences"].push_back(dependent("", other, false)["metadata"]["ownerReferences"][0]);
  make(both);

  ASSERT_TRUE(sandbox_->api().remove(kinds().config_maps, "default", "owner"));

  EXPECT_TRUE(becomes(kinds().config_maps, "default", "both",
                      [](const Json& left) { return left["metadata"]["ownerReferences"].size() == 1; }));
}

TEST_F(ControlPlane, WaitsForBlockersInTheForeground) {
  const Json owner = make_plain("owner");
  Json blocker = dependent("blocker", owner, true);
  blocker["metadata"]["finalizers"] = Json::array({"example.com/keep"});
  make(blocker);
  make(dependent("free", owner, false));

  ASSERT_TRUE(sandbox_->api().remove(kinds().config_maps, "default", "owner", {.propagation = "Foreground"}));
  EXPECT_TRUE(becomes(kinds().config_maps, "default", "blocker",
                      [](const Json& object) { return k8s::ObjectView(object).is_being_deleted(); }));
  EXPECT_TRUE(goes(kinds().config_maps, "default", "free"));
  EXPECT_TRUE(is_there(kinds().config_maps, "default", "owner"));

  ASSERT_TRUE(cluster().modify(kinds().config_maps, *cluster().get(kinds().config_maps, "default", "blocker"),
                               [](Json& live) -> Status {
                                 live["metadata"].erase("finalizers");
                                 return {};
                               }));
  EXPECT_TRUE(goes(kinds().config_maps, "default", "owner"));
}

TEST_F(ControlPlane, TurnsOrphansLoose) {
  const Json owner = make_plain("owner");
  make(dependent("orphan", owner, true));

  ASSERT_TRUE(sandbox_->api().remove(kinds().config_maps, "default", "owner", {.propagation = "Orphan"}));

  EXPECT_TRUE(goes(kinds().config_maps, "default", "owner"));
  const auto orphan = cluster().get(kinds().config_maps, "default", "orphan");
  ASSERT_TRUE(orphan);
  EXPECT_FALSE(orphan->at("metadata").contains("ownerReferences"));
}

TEST_F(ControlPlane, RemovesWhatIsCreatedForAnOwnerThatIsGone) {
  Json ghost = {{"metadata", {{"name", "ghost"}, {"uid", "11111111-2222-3333-4444-555555555555"}}}};
  make(dependent("late", ghost, false));

  EXPECT_TRUE(goes(kinds().config_maps, "default", "late"));
}

constexpr const char* kBooks = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: books.library.example.com}
spec:
  group: library.example.com
  scope: Namespaced
  names: {plural: books, singular: book, kind: Book}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)";
constexpr const char* kBook =
    "{apiVersion: library.example.com/v1, kind: Book, metadata: {name: typee, namespace: default}}";

TEST_F(ControlPlane, EstablishesADefinition) {
  apply(kBooks);
  apply(kBook);

  EXPECT_TRUE(becomes(kinds().definitions, "", "books.library.example.com", [](const Json& definition) {
    return k8s::ObjectView(definition).is_condition_true("Established") &&
           k8s::ObjectView(definition).is_condition_true("NamesAccepted");
  }));
}

TEST_F(ControlPlane, RefusesNamesThatAreTaken) {
  apply(kBooks);
  ASSERT_TRUE(becomes(kinds().definitions, "", "books.library.example.com", [](const Json& definition) {
    return k8s::ObjectView(definition).is_condition_true("Established");
  }));
  std::string tomes = kBooks;
  tomes.replace(tomes.find("{name: books."), 12, "{name: tomes");
  tomes.replace(tomes.find("plural: books, singular: book"), 29, "plural: tomes, singular: tome");
  apply(tomes);

  EXPECT_TRUE(becomes(kinds().definitions, "", "tomes.library.example.com", [](const Json& definition) {
    const Json* condition = k8s::ObjectView(definition).condition("NamesAccepted");
    return condition != nullptr && json::string_or(*condition, {"status"}, "") == "False";
  }));
}

TEST_F(ControlPlane, RemovesTheObjectsOfADefinitionThatGoes) {
  apply(kBooks);
  apply(kBook);
  ASSERT_TRUE(sandbox_->api().remove(kinds().definitions, "", "books.library.example.com"));

  EXPECT_TRUE(goes(kinds().definitions, "", "books.library.example.com"));
  EXPECT_TRUE(eventually([&] { return sandbox_->store().count({"library.example.com", "books"}) == 0; }));
  EXPECT_TRUE(eventually(
      [&] { return sandbox_->registry().kinds()->find_resource({"library.example.com", "books"}) == nullptr; }));

  // And once more from the beginning.
  apply(kBooks);
  apply(kBook);
}

TEST_F(ControlPlane, EndsPodsThatNobodyRuns) {
  apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default}, spec: {nodeName: lost, containers: "
      "[{name: c, image: i}]}}");

  ASSERT_TRUE(sandbox_->api().remove(kinds().pods, "default", "web"));

  EXPECT_TRUE(goes(kinds().pods, "default", "web"));
}

}  // namespace
}  // namespace landfall::sandbox
