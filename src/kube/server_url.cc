#include "kube/server_url.h"

#include "base/strings.h"
#include "io/url.h"

namespace landfall::kube {

Result<std::string> normalize_server(std::string_view text) {
  const bool has_scheme = contains(text, "://");
  TRY_ASSIGN(io::Url url, "", io::parse_url(has_scheme ? std::string(text) : "http://" + std::string(text)));
  if (url.scheme != "https" && url.scheme != "http") {
    return fail(Code::kInvalid, "the scheme " + quote(url.scheme) + " is not one of https and http");
  }
  if (!url.userinfo.empty()) {
    return fail(Code::kInvalid, "a user in the URL is not supported, name it in the users of the kubeconfig");
  }
  while (url.path.ends_with('/')) {
    url.path.pop_back();
  }
  if (!has_scheme && !url.path.empty()) {
    return fail(Code::kInvalid, "a URL such as https://host:6443/path or a plain host:port is expected");
  }
  url.query.reset();
  url.fragment.reset();
  return io::to_string(url);
}

}  // namespace landfall::kube
