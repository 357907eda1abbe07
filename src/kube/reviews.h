#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"

// Questions to the API server about who someone is and what they may do. They change nothing, so they are repeated like
// reads.

namespace landfall::kube {

struct UserInfo {
  std::string username;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

struct TokenVerdict {
  bool is_authenticated = false;
  UserInfo user;                       // whose token it is
  std::vector<std::string> audiences;  // those of the ones asked for that it is meant for
  std::string error;                   // why it could not be checked or is not valid; may be empty
};

// Whose token it is (TokenReview). With audiences it must be meant for one of them, without it must be for the API
// server. A token that is not valid is no error but a verdict.
Result<TokenVerdict> review_token(Client& client, const std::string& token, const std::vector<std::string>& audiences,
                                  const std::stop_token& stop);

// Something one may or may not do: a verb on objects, or on a path that is no object ("/metrics").
struct Action {
  std::string verb;
  std::string group;
  std::string version;  // empty: any
  std::string resource;
  std::string subresource;
  std::string name_space;  // empty: all, or cluster scope
  std::string name;        // empty: all
  std::string path;        // when set, the rest but the verb does not count
};

struct AccessVerdict {
  bool is_allowed = false;
  bool is_denied = false;  // an authorizer said no; otherwise none of them knew
  std::string reason;
  std::string evaluation_error;
};

// Whether that user may do it (SubjectAccessReview), and whether we may (SelfSubjectAccessReview).
Result<AccessVerdict> review_access(Client& client, const UserInfo& user, const Action& action,
                                    const std::stop_token& stop);
Result<AccessVerdict> review_own_access(Client& client, const Action& action, const std::stop_token& stop);

}  // namespace landfall::kube
