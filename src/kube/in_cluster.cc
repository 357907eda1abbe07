#include <filesystem>

#include "base/strings.h"
#include "io/file.h"
#include "kube/config.h"
#include "kube/server_url.h"

namespace landfall::kube {
namespace {

constexpr std::string_view kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::size_t kMaxNamespace = 4096;

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

std::string own_namespace(const Environment& environment, const std::string& directory) {
  const std::string given = environment.get_or("POD_NAMESPACE", "");
  if (!given.empty()) {
    return given;
  }
  const Result<std::string> text = io::read_file(directory + "/namespace", kMaxNamespace);
  return text ? std::string(trim(*text)) : std::string();
}

}  // namespace

Result<Config> in_cluster_config(const Environment& environment, const std::string& root) {
  const std::string host = environment.get_or("KUBERNETES_SERVICE_HOST", "");
  const std::string port = environment.get_or("KUBERNETES_SERVICE_PORT", "");
  if (host.empty() || port.empty()) {
    return fail(Code::kNotFound,
                "this is not a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set");
  }
  const std::string directory = root + std::string(kServiceAccount);
  Config config;
  config.token_file = directory + "/token";
  if (!is_there(config.token_file)) {
    return fail(Code::kNotFound, "this pod has no service account token: there is no file " + config.token_file);
  }
  config.origin = "the service account of this pod";
  const bool is_ipv6 = contains(host, ":") && !host.starts_with('[');
  TRY_ASSIGN(config.server, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT",
             normalize_server("https://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + port));
  // Without one the system's authorities are trusted, as client-go does.
  if (is_there(directory + "/ca.crt")) {
    config.certificate_authority.file = directory + "/ca.crt";
  }
  config.namespace_name = own_namespace(environment, directory);
  return config;
}

}  // namespace landfall::kube
