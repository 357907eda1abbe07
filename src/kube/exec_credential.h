#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "io/process.h"
#include "kube/config.h"

// The protocol between us and an exec credential plugin: one run of the program gives one credential.

namespace landfall::kube {

// What a plugin hands out: a token, a certificate with its key, or both. Secrets.
struct ExecCredential {
  std::string token;
  std::string certificate;             // PEM, checked
  std::string key;                     // PEM, belongs to the certificate
  WallTime expires = WallTime::max();  // what it says itself, or the end of the certificate, whichever is earlier
};

// client.authentication.k8s.io/v1 and /v1beta1 are spoken.
Status check_exec_api_version(const std::string& api_version);

// What the plugin is told in its environment (KUBERNETES_EXEC_INFO): that there is no terminal, and, when the plugin
// asks for it, where the cluster is. `authorities` is the PEM text of those to be trusted.
std::string exec_info(const Config& config, const ExecPlugin& plugin, const std::string& authorities);

// Reads what the plugin wrote. Errors name the field and show nothing of the text.
Result<ExecCredential> parse_exec_credential(const std::string& api_version, std::string_view output);

struct ExecContext {
  const Config& config;
  const Environment& environment;
  io::ProcessRunner& processes;
  Clock& clock;
};

// Runs the configuration's plugin, for at most a minute and without a terminal, and reads its answer. kUnauthenticated
// when it failed or its answer is of no use, kUnavailable when it took too long, kCancelled. A program that is missing
// is named together with the hint that the kubeconfig has for this case.
Result<ExecCredential> run_exec_plugin(const ExecContext& context, const std::string& authorities,
                                       const std::stop_token& stop, SteadyTime deadline = kNever);

}  // namespace landfall::kube
