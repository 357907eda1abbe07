#include "restore/existing_object.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "json/json.h"
#include "json/patch.h"

namespace landfall::restore {
namespace {

using json::Json;

const k8s::GroupResource kConfigMaps{"", "configmaps"};

// Ready to be created.
Json desired(const Json& data) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "a"}, {"labels", {{"velero.io/restore-name", "r"}, {"velero.io/backup-name", "b"}}}}},
          {"data", data}};
}

// As the cluster has it.
Json live(const Json& data) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "a"}, {"uid", "u"}, {"resourceVersion", "7"}, {"creationTimestamp", "t"}}},
          {"data", data},
          {"status", {{"phase", "Fine"}}}};
}

ExistingFate fate(const Json& there, const Json& wanted, const std::string& policy) {
  return ExistingObject::compare(there, wanted, kConfigMaps, policy).value().fate();
}

TEST(ExistingObject, IdentityStatusManagersAndRestoreLabelsAreNoDifference) {
  Json there = live({{"k", "v"}});
  there["metadata"]["managedFields"] = Json::array({{{"manager", "kubectl"}}});
  there["metadata"]["labels"] = {{"velero.io/restore-name", "older"}};
  EXPECT_EQ(fate(there, desired({{"k", "v"}}), ""), ExistingFate::kUnchanged);
  EXPECT_EQ(fate(there, desired({{"k", "v"}}), "none"), ExistingFate::kUnchanged);
  EXPECT_EQ(fate(there, desired({{"k", "v"}}), "update"), ExistingFate::kRelabel);
}

TEST(ExistingObject, ADifferenceIsAConflictUnlessItMayBeOverwritten) {
  const auto compared = ExistingObject::compare(live({{"k", "v"}}), desired({{"k", "w"}}), kConfigMaps, "").value();
  EXPECT_EQ(compared.fate(), ExistingFate::kConflict);
  EXPECT_EQ(compared.differences(), std::vector<std::string>{"data.k"});
  EXPECT_EQ(fate(live({{"k", "v"}}), desired({{"k", "w"}}), "update"), ExistingFate::kUpdate);
  // Labels of somebody else do count.
  Json labelled = live({{"k", "v"}});
  labelled["metadata"]["labels"]["team"] = "books";
  EXPECT_EQ(fate(labelled, desired({{"k", "v"}}), ""), ExistingFate::kConflict);
}

TEST(ExistingObject, WithoutMetadataItIsRefused) {
  EXPECT_FALSE(ExistingObject::compare(Json({{"kind", "ConfigMap"}}), desired({}), kConfigMaps, "update"));
}

RC_GTEST_PROP(ExistingObject, TheUpdateMakesItWhatIsWanted, ()) {
  const auto any_data = [] {
    Json data = Json::object();
    for (const std::string& key :
         *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c", "d"))) {
      data[key] = *rc::gen::element<std::string>("1", "2");
    }
    return data;
  };
  Json there = live(any_data());
  if (*rc::gen::arbitrary<bool>()) there["metadata"]["labels"] = any_data();
  if (*rc::gen::arbitrary<bool>()) there["metadata"]["labels"]["velero.io/restore-name"] = "older";
  Json wanted = desired(any_data());
  if (*rc::gen::arbitrary<bool>()) wanted["metadata"]["annotations"] = any_data();
  const auto compared = ExistingObject::compare(there, wanted, kConfigMaps, "update").value();
  const Json after = json::apply_merge_patch(there, compared.patch()).value();
  RC_ASSERT(fate(after, wanted, "") == ExistingFate::kUnchanged);
  RC_ASSERT(after.at("metadata").at("labels").at("velero.io/restore-name") == "r");
  RC_ASSERT(after.at("metadata").at("uid") == "u");
}

TEST(ExistingObject, AServiceAccountKeepsItsOwnAndGetsTheRest) {
  const k8s::GroupResource accounts{"", "serviceaccounts"};
  Json there = {{"metadata", {{"name", "clerk"}, {"labels", {{"a", "live"}}}}},
                {"secrets", Json::array({{{"name", "own"}}})}};
  Json wanted = {{"metadata", {{"name", "clerk"}, {"labels", {{"a", "backup"}, {"b", "backup"}}}}},
                 {"secrets", Json::array({{{"name", "own"}}, {{"name", "old"}}})}};
  const auto compared = ExistingObject::compare(there, wanted, accounts, "none").value();
  EXPECT_EQ(compared.fate(), ExistingFate::kMerge);
  EXPECT_EQ(compared.patch(), Json({{"metadata", {{"labels", {{"b", "backup"}}}}},
                                    {"secrets", Json::array({{{"name", "own"}}, {{"name", "old"}}})}}));
  // Done once, there is nothing left to do.
  const Json after = json::apply_merge_patch(there, compared.patch()).value();
  EXPECT_EQ(ExistingObject::compare(after, wanted, accounts, "none").value().fate(), ExistingFate::kUnchanged);
}

}  // namespace
}  // namespace landfall::restore
