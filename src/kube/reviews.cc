#include "kube/reviews.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::kube {
namespace {

constexpr std::size_t kMaxAnswer = std::size_t{4} << 20U;

// The status that the server fills in.
Result<json::Json> ask(Client& client, const std::string& group, const std::string& resource, const std::string& kind,
                       json::Json spec, const std::stop_token& stop) {
  json::Json body = {{"apiVersion", group + "/v1"}, {"kind", kind}};
  body["spec"] = std::move(spec);
  const Call call{.method = "POST",
                  .path = "/apis/" + group + "/v1/" + resource,
                  .body = json::dump(body),
                  .max_body = kMaxAnswer,
                  .is_repeatable = true};
  TRY_ASSIGN(const Answer answer, "", client.call(call, stop));
  auto parsed = json::parse(answer.body);
  if (!parsed) {
    return fail(Code::kUnavailable, kind + ": the answer cannot be read: " + parsed.error().message());
  }
  const json::Json* status = json::find(*parsed, {"status"});
  if (status == nullptr || !status->is_object()) {
    return fail(Code::kDataLoss, kind + ": the answer has no status");
  }
  return json::Json(*status);
}

Result<UserInfo> user_of(const json::Json& status) {
  UserInfo user{.username = json::string_or(status, {"user", "username"}, ""),
                .uid = json::string_or(status, {"user", "uid"}, "")};
  TRY_ASSIGN(user.groups, "", json::string_list_at(status, {"user", "groups"}));
  if (const json::Json* extra = json::find(status, {"user", "extra"}); extra != nullptr && extra->is_object()) {
    for (const auto& [key, values] : extra->items()) {
      TRY_ASSIGN(user.extra[key], "", json::string_list_at(*extra, {key}));
    }
  }
  return user;
}

json::Json attributes_of(const Action& action) {
  if (!action.path.empty()) {
    return {{"nonResourceAttributes", {{"path", action.path}, {"verb", action.verb}}}};
  }
  json::Json attributes = {{"verb", action.verb}, {"resource", action.resource}};
  for (const auto& [key, value] : {std::pair{"group", &action.group},
                                   {"version", &action.version},
                                   {"subresource", &action.subresource},
                                   {"namespace", &action.name_space},
                                   {"name", &action.name}}) {
    if (!value->empty()) {
      attributes[key] = *value;
    }
  }
  json::Json spec = json::Json::object();
  spec["resourceAttributes"] = std::move(attributes);
  return spec;
}

AccessVerdict verdict_of(const json::Json& status) {
  return {.is_allowed = json::bool_or(status, {"allowed"}, false),
          .is_denied = json::bool_or(status, {"denied"}, false),
          .reason = json::string_or(status, {"reason"}, ""),
          .evaluation_error = json::string_or(status, {"evaluationError"}, "")};
}

}  // namespace

Result<TokenVerdict> review_token(Client& client, const std::string& token, const std::vector<std::string>& audiences,
                                  const std::stop_token& stop) {
  json::Json spec = {{"token", token}};
  if (!audiences.empty()) {
    spec["audiences"] = audiences;
  }
  TRY_ASSIGN(const json::Json status, "",
             ask(client, "authentication.k8s.io", "tokenreviews", "TokenReview", std::move(spec), stop));
  TokenVerdict verdict{.is_authenticated = json::bool_or(status, {"authenticated"}, false),
                       .error = json::string_or(status, {"error"}, "")};
  TRY_ASSIGN(verdict.user, "TokenReview", user_of(status));
  TRY_ASSIGN(verdict.audiences, "TokenReview", json::string_list_at(status, {"audiences"}));
  // A server that does not know audiences says yes to a token that is meant for the API server.
  const auto was_asked_for = [&](const std::string& one) {
    return std::ranges::find(audiences, one) != audiences.end();
  };
  if (verdict.is_authenticated && !audiences.empty() && std::ranges::none_of(verdict.audiences, was_asked_for)) {
    verdict.is_authenticated = false;
    verdict.error = "the token is not meant for " + join(audiences, ", ");
  }
  return verdict;
}

Result<AccessVerdict> review_access(Client& client, const UserInfo& user, const Action& action,
                                    const std::stop_token& stop) {
  json::Json spec = attributes_of(action);
  spec["user"] = user.username;
  spec["uid"] = user.uid;
  spec["groups"] = user.groups;
  spec["extra"] = user.extra;
  TRY_ASSIGN(const json::Json status, "",
             ask(client, "authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", std::move(spec), stop));
  return verdict_of(status);
}

Result<AccessVerdict> review_own_access(Client& client, const Action& action, const std::stop_token& stop) {
  TRY_ASSIGN(const json::Json status, "",
             ask(client, "authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview",
                 attributes_of(action), stop));
  return verdict_of(status);
}

}  // namespace landfall::kube
