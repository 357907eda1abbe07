#include "sandbox/reviews.h"

#include <string>
#include <utility>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "sandbox/api_error.h"

namespace landfall::sandbox {
namespace {

using json::Json;

Json user_document(const User& user) {
  Json out = {{"username", user.name}, {"groups", user.groups}};
  if (!user.uid.empty()) out["uid"] = user.uid;
  return out;
}

Json token_status(const Json& review, const Authenticator& authenticator) {
  const auto user = authenticator.user_of_token(json::string_or(review, {"spec", "token"}, ""));
  if (!user) return {{"user", Json::object()}, {"error", "invalid bearer token"}};
  return {{"authenticated", true},
          {"user", user_document(*user)},
          {"audiences", Json::array({"https://kubernetes.default.svc"})}};
}

Json all_rules() {
  return {{"resourceRules", Json::array({{{"verbs", {"*"}}, {"apiGroups", {"*"}}, {"resources", {"*"}}}})},
          {"nonResourceRules", Json::array({{{"verbs", {"*"}}, {"nonResourceURLs", {"*"}}}})},
          {"incomplete", false}};
}

}  // namespace

Result<Json> answer_review(const KindInfo& kind, std::string_view name_space, Json review, const User& user,
                           const Authenticator& authenticator, WallTime now) {
  review["apiVersion"] = to_string(kind.id.group_version());
  review["kind"] = kind.kind;
  Json& metadata = review["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (kind.is_namespaced) metadata["namespace"] = name_space;
  if (kind.kind == "SelfSubjectReview") {
    metadata["creationTimestamp"] = format_rfc3339(now);
    review["status"] = {{"userInfo", user_document(user)}};
  } else if (kind.kind == "TokenReview") {
    if (json::string_or(review, {"spec", "token"}, "").empty()) {
      return fail("", bad_request("token is required for TokenReview in authentication"));
    }
    review["status"] = token_status(review, authenticator);
  } else if (kind.kind == "SelfSubjectRulesReview") {
    review["spec"] = Json::object();
    review["status"] = all_rules();
  } else if (kind.kind == "SubjectAccessReview" || kind.kind == "LocalSubjectAccessReview" ||
             kind.kind == "SelfSubjectAccessReview") {
    if (json::has(review, {"spec", "resourceAttributes"}) == json::has(review, {"spec", "nonResourceAttributes"})) {
      return fail("", invalid(k8s::GroupKind{"authorization.k8s.io", ""}, "",
                              {{"FieldValueInvalid",
                                "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must "
                                "be specified",
                                "spec.resourceAttributes"}}));
    }
    review["status"] = {{"allowed", true}};
  } else {
    return fail(Code::kUnsupported, kind.kind + " is no review");
  }
  return review;
}

Json component_statuses() {
  Json items = Json::array();
  for (const char* name : {"scheduler", "controller-manager", "etcd-0"}) {
    items.push_back({{"metadata", {{"name", name}}},
                     {"conditions", Json::array({{{"type", "Healthy"}, {"status", "True"}, {"message", "ok"}}})}});
  }
  return {{"kind", "ComponentStatusList"}, {"apiVersion", "v1"}, {"metadata", Json::object()}, {"items", items}};
}

}  // namespace landfall::sandbox
