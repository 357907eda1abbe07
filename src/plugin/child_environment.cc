#include "plugin/child_environment.h"

#include <array>

#include "plugin_protocol/handshake.h"

namespace landfall::plugin {
namespace {

namespace protocol = plugin_protocol;

// Passwords of repositories are no plugin's business.
constexpr std::array<std::string_view, 4> kNeverShown{"RESTIC_PASSWORD", "RESTIC_PASSWORD_FILE",
                                                      "RESTIC_PASSWORD_COMMAND", "KOPIA_PASSWORD"};

// By which the server's own pod has credentials: those of locations that name none.
constexpr std::array<std::string_view, 11> kCredentials{
    "AWS_ACCESS_KEY_ID",           "AWS_SECRET_ACCESS_KEY",          "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE",    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",       "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CREDENTIALS_FILE",
    "AZURE_CLIENT_SECRET",         "ALIBABA_CLOUD_CREDENTIALS_FILE"};

}  // namespace

std::map<std::string, std::string> child_environment(const HostOptions& options, const std::string& socket_dir,
                                                     bool has_credentials) {
  std::map<std::string, std::string> variables = options.environment;
  for (const std::string& name : options.denied) variables.erase(name);
  for (const std::string_view name : kNeverShown) variables.erase(std::string(name));
  if (has_credentials) {
    for (const std::string_view name : kCredentials) variables.erase(std::string(name));
  }
  variables.erase(std::string(protocol::kClientCertName));
  variables.erase(std::string(protocol::kMultiplexName));
  variables.erase("PLUGIN_UNIX_SOCKET_GROUP");
  variables[std::string(protocol::kCookieName)] = protocol::kCookieValue;
  variables[std::string(protocol::kVersionsName)] = std::to_string(protocol::kAppVersion);
  // For plugins that listen on a port.
  variables[std::string(protocol::kMinPortName)] = "10000";
  variables[std::string(protocol::kMaxPortName)] = "25000";
  // Older versions of go-plugin know only the latter.
  variables[std::string(protocol::kSocketDirName)] = socket_dir;
  variables["TMPDIR"] = socket_dir;
  return variables;
}

}  // namespace landfall::plugin
