#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/crd.h"
#include "sandbox_kinds/openapi.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using testing::ElementsAre;

Json definition() {
  return json::parse(R"({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "books.library.example.com"},
    "spec": {"group": "library.example.com", "scope": "Namespaced",
      "names": {"plural": "books", "singular": "book", "kind": "Book", "listKind": "BookList", "shortNames": ["bk"]},
      "versions": [
        {"name": "v1beta1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v1alpha1", "served": false, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v1", "served": true, "storage": true,
         "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}},
         "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}}]}})")
      .value_or(Json());
}

TEST(KindsOfCrd, ServesThePreferredVersionFirst) {
  const auto kinds = kinds_of_crd(definition());
  ASSERT_TRUE(kinds.has_value());
  ASSERT_EQ(kinds->size(), 2U);
  const KindInfo& book = kinds->front();
  EXPECT_EQ(book.id, (k8s::GroupVersionResource{"library.example.com", "v1", "books"}));
  EXPECT_THAT(book.subresources, ElementsAre("scale", "status"));
  EXPECT_TRUE(book.has_status);
  EXPECT_EQ(book.crd->spec_replicas_path, ".spec.n");
  EXPECT_FALSE(kinds->back().has_status);
  EXPECT_EQ(kinds->back().storage_kind.version, "v1");
}

TEST(Establishing, IsDoneOnce) {
  Json crd = definition();
  set_initial_crd_status(crd);
  EXPECT_EQ(crd["status"]["storedVersions"], Json::array({"v1"}));
  EXPECT_TRUE(validate_crd(crd).empty());
  establish_crd(crd, "2026-01-01T00:00:00Z");
  const Json first = crd;
  establish_crd(crd, "2026-01-02T00:00:00Z");
  EXPECT_EQ(crd, first);
  EXPECT_EQ(crd["status"]["acceptedNames"]["kind"], "Book");
  EXPECT_EQ(crd["status"]["conditions"][1]["type"], "Established");
}

TEST(OpenApi, TellsKubectlThatFieldsAreValidated) {
  const auto kinds = kinds_of_crd(definition());
  ASSERT_TRUE(kinds.has_value());
  const std::vector<const KindInfo*> served = {&kinds->front()};
  const auto document = openapi_v3_document(served, "apis/library.example.com/v1");
  ASSERT_TRUE(document.has_value());
  const Json& patch = (*document)["paths"]["/apis/library.example.com/v1/namespaces/{namespace}/books/{name}"]["patch"];
  EXPECT_EQ(patch["parameters"][2]["name"], "fieldValidation");
  EXPECT_EQ(patch["x-kubernetes-group-version-kind"]["kind"], "Book");
  EXPECT_TRUE((*document)["components"]["schemas"].contains("com.example.library.v1.Book"));
  EXPECT_TRUE(openapi_v3_index(served)["paths"].contains("apis/library.example.com/v1"));
  EXPECT_FALSE(openapi_v3_document(served, "apis/nothing/v1").has_value());
}

}  // namespace
}  // namespace landfall::sandbox
