#include <cstdint>
#include <string_view>

#include "kube/exec_credential.h"
#include "kube/kubeconfig.h"
#include "kube/server_url.h"

// Any text is an error or a configuration whose server can be used and whose files are absolute.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  landfall::kube::Kubeconfig file;
  if (file.add_text("/folder/config", text)) {
    const auto config = file.config_for("");
    const auto is_absolute = [](const std::string& path) { return path.empty() || path.front() == '/'; };
    if (config) {
      const auto server = landfall::kube::normalize_server(config->server);
      const bool is_good = server && *server == config->server && is_absolute(config->certificate_authority.file) &&
                           is_absolute(config->client_certificate.file) && is_absolute(config->client_key.file) &&
                           is_absolute(config->token_file);
      if (!is_good) {
        __builtin_trap();
      }
    }
  }
  const auto credential = landfall::kube::parse_exec_credential("client.authentication.k8s.io/v1", text);
  if (credential && credential->token.empty() && credential->certificate.empty()) {
    __builtin_trap();
  }
  return 0;
}
