#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "http/request.h"
#include "json/json_fwd.h"

namespace landfall::sandbox {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
};

// Who may use the sandbox: whoever shows the administrator's token, or one that it issued for a service account. Those
// are signed with a secret of this sandbox and hold what they say; nothing is kept. Immutable and thread-safe.
class Authenticator {
 public:
  // An empty token is replaced by a random one.
  Authenticator(std::string token, Clock& clock, Random& random);

  const std::string& token() const { return token_; }

  // From the Authorization header; nothing when there is none or a wrong one. Impersonation is honoured.
  std::optional<User> user_of(const http::Request& request) const;
  std::optional<User> user_of_token(std::string_view token) const;

  struct ServiceAccount {
    std::string name_space;
    std::string name;
    std::string uid;
  };
  // A JSON web token that user_of_token() accepts until it expires.
  std::string issue(const ServiceAccount& account, const std::vector<std::string>& audiences, WallTime until) const;

 private:
  std::string token_;
  std::string secret_;
  Clock& clock_;
};

}  // namespace landfall::sandbox
