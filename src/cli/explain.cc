#include "cli/explain.h"

#include <fmt/format.h>

#include <string>

#include "base/strings.h"
#include "cli/find_objects.h"
#include "kube/api_status.h"
#include "kube/unreachable.h"

namespace landfall::cli {
namespace {

constexpr int kNotThere = 404;

std::string replaced(std::string text, const std::string& part, const std::string& with) {
  const std::size_t at = text.find(part);
  return part.empty() || at == std::string::npos ? with : text.replace(at, part.size(), with);
}

Error of_unreachable(const Error& error, const kube::Unreachable& detail) {
  const bool is_trust = error.code() == Code::kUnauthenticated;
  const std::string what = fmt::format(
      "the cluster {} ({}) {}: {}; {}", detail.server, detail.origin, is_trust ? "is not trusted" : "cannot be reached",
      detail.reason,
      is_trust ? "see certificate-authority-data there, or choose another cluster with --kubecontext"
               : "see that it runs and that there is a way to it, or choose another cluster with --kubecontext");
  return {error.code(), replaced(error.message(), detail.what, what)};
}

// "backups.velero.io is forbidden: User "jane" cannot list resource …" says who and what already.
Error of_forbidden(const Error& error) {
  return {error.code(), error.message() + "; whoever manages the cluster can allow it (RBAC)"};
}

Error of_unauthenticated(const Error& error) {
  return {error.code(), error.message() +
                            ": the cluster does not accept these credentials; log in again, or choose others with "
                            "--kubecontext"};
}

// No object of that kind can be missing: the path is.
bool is_without_definitions(const Error& error, const kube::ApiStatus& status) {
  return status.http_status == kNotThere && status.reason.empty() && contains(error.message(), "/apis/velero.io/");
}

}  // namespace

Error explained_for_user(const Error& error, const Context& context) {
  if (const auto* detail = error.detail<kube::Unreachable>()) return of_unreachable(error, *detail);
  const auto* status = error.detail<kube::ApiStatus>();
  if (status == nullptr) return error;
  if (is_without_definitions(error, *status)) return explained(error, context);
  if (error.code() == Code::kForbidden) return of_forbidden(error);
  if (error.code() == Code::kUnauthenticated) return of_unauthenticated(error);
  return error;
}

}  // namespace landfall::cli
