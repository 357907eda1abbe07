#include "base/strings.h"
#include "io/http_proxy.h"
#include "kube/kubeconfig_entry.h"
#include "kube/server_url.h"

namespace landfall::kube {

Status read_cluster(const KubeconfigEntry& entry, Config& config) {
  TRY_ASSIGN(const std::string server, "", entry.text("server"));
  if (server.empty()) {
    return entry.error("server: is missing");
  }
  TRY_ASSIGN(config.server, entry.place + ": server", normalize_server(server));
  TRY_ASSIGN(config.certificate_authority, "", entry.data_or_file("certificate-authority"));
  TRY_ASSIGN(config.insecure_skip_tls_verify, "", entry.flag("insecure-skip-tls-verify"));
  TRY_ASSIGN(config.tls_server_name, "", entry.text("tls-server-name"));
  TRY_ASSIGN(config.proxy_url, "", entry.text("proxy-url"));
  TRY_ASSIGN(config.disable_compression, "", entry.flag("disable-compression"));

  if (config.insecure_skip_tls_verify && !config.certificate_authority.empty()) {
    return entry.error("certificate-authority and insecure-skip-tls-verify exclude each other: take one of them away");
  }
  if (!config.proxy_url.empty()) {
    TRY(entry.place + ": proxy-url", io::HttpProxy::fixed(config.proxy_url));
  }
  return {};
}

}  // namespace landfall::kube
