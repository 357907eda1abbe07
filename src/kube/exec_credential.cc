#include "kube/exec_credential.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "io/http_request_check.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/tls_files.h"
#include "kube/written_document.h"

namespace landfall::kube {
namespace {

constexpr std::string_view kGroup = "client.authentication.k8s.io/";
constexpr Duration kTimeout = std::chrono::minutes(1);
// A plugin that does not end when it is asked to must not hold up whoever wants to stop.
constexpr Duration kGrace = std::chrono::milliseconds(500);
constexpr std::size_t kLongestLine = 500;

json::Json cluster_info(const Config& config, const ExecPlugin& plugin, const std::string& authorities) {
  json::Json cluster = {{"server", config.server}};
  if (!config.tls_server_name.empty()) {
    cluster["tls-server-name"] = config.tls_server_name;
  }
  if (config.insecure_skip_tls_verify) {
    cluster["insecure-skip-tls-verify"] = true;
  }
  if (!authorities.empty()) {
    cluster["certificate-authority-data"] = base64_encode(authorities);
  }
  if (!config.proxy_url.empty()) {
    cluster["proxy-url"] = config.proxy_url;
  }
  if (config.disable_compression) {
    cluster["disable-compression"] = true;
  }
  if (!plugin.cluster_config.empty()) {
    if (auto extension = json::parse(plugin.cluster_config)) {
      cluster["config"] = *std::move(extension);
    }
  }
  return cluster;
}

// One short line of plain text, whatever a kubeconfig or a program put into it: it goes to a terminal.
std::string one_line(std::string_view text) {
  std::string clean = to_valid_utf8(text.substr(0, kLongestLine));
  std::ranges::replace_if(clean, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return join(split_words(clean), " ") + (text.size() > kLongestLine ? " …" : "");
}

std::string replace_all(const std::string& text, std::string_view part, std::string_view by) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(part, from)) != std::string::npos; from = at + part.size()) {
    result.append(text, from, at - from).append(by);
  }
  return result.append(text, from);
}

// Programs like to say what they were told. Not on our account: what the kubeconfig puts into a plugin's environment
// is often a password. Short values are no secrets, and taking them out would garble the text.
std::string without_secrets(std::string text, const ExecPlugin& plugin) {
  constexpr std::size_t kShortestSecret = 6;
  for (const auto& [variable, value] : plugin.env) {
    for (const std::string_view line : split(value, '\n')) {
      if (line.size() >= kShortestSecret) {
        text = replace_all(text, line, "***");
      }
    }
  }
  return text;
}

Error not_run(const ExecPlugin& plugin, const Error& error) {
  switch (error.code()) {
    case Code::kCancelled:
      return error;
    case Code::kNotFound: {
      const std::string hint = one_line(plugin.install_hint);
      return {Code::kUnauthenticated, "the program is not installed" + (hint.empty() ? "" : ": " + hint)};
    }
    case Code::kTimeout:
      return {Code::kUnavailable, "it was not done within a minute"};
    default:
      return {Code::kUnauthenticated, error.message()};
  }
}

// A time that says "never" in Go (its zero) or lies behind what WallTime holds is the end of time.
Result<WallTime> parse_expiry(std::string text) {
  constexpr std::string_view kLastYear = "2261";
  if (text == "0001-01-01T00:00:00Z") {
    return WallTime::max();
  }
  const bool is_far = text.size() > kLastYear.size() && text.front() >= '2' && text.front() <= '9' &&
                      text.substr(0, kLastYear.size()) > kLastYear;
  if (is_far) {
    text.replace(0, kLastYear.size(), "2000");  // the rest has to be right all the same
  }
  TRY_ASSIGN(const WallTime time, "", parse_rfc3339(text));
  return is_far ? WallTime::max() : time;
}

Status check_type(const json::Json& document, const std::string& api_version) {
  TRY_ASSIGN(const std::string kind, "", json::string_at(document, {"kind"}));
  TRY_ASSIGN(const std::string version, "", json::string_at(document, {"apiVersion"}));
  if (kind != "ExecCredential") {
    return fail(Code::kInvalid, "kind: expected ExecCredential, got " + quote(kind));
  }
  if (version != api_version) {
    return fail(Code::kInvalid, "apiVersion: the kubeconfig expects " + api_version + ", got " + quote(version));
  }
  return {};
}

Status check_secrets(ExecCredential& credential) {
  if (credential.token.empty() && credential.certificate.empty() && credential.key.empty()) {
    return fail(Code::kInvalid, "status: there is neither a token nor a certificate in it");
  }
  if (!io::is_http_field_value(credential.token)) {
    return fail(Code::kInvalid, "status.token: holds a line break or another control character");
  }
  if (credential.certificate.empty() != credential.key.empty()) {
    return fail(Code::kInvalid, "status: clientCertificateData and clientKeyData go together, one is missing");
  }
  if (!credential.certificate.empty()) {
    TRY_ASSIGN(const WallTime end, "status",
               check_client_certificate({.certificate = credential.certificate,
                                         .key = credential.key,
                                         .certificate_name = "clientCertificateData",
                                         .key_name = "clientKeyData"}));
    credential.expires = std::min(credential.expires, end);
  }
  return {};
}

}  // namespace

Status check_exec_api_version(const std::string& api_version) {
  const auto version = strip_prefix(api_version, kGroup);
  if (version != "v1" && version != "v1beta1") {
    return fail(Code::kUnsupported, quote(api_version) + " is not one of client.authentication.k8s.io/v1 and /v1beta1");
  }
  return {};
}

std::string exec_info(const Config& config, const ExecPlugin& plugin, const std::string& authorities) {
  json::Json spec = {{"interactive", false}};
  if (plugin.provide_cluster_info) {
    spec["cluster"] = cluster_info(config, plugin, authorities);
  }
  return json::dump({{"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}});
}

Result<ExecCredential> parse_exec_credential(const std::string& api_version, std::string_view output) {
  TRY_ASSIGN(const json::Json document, "", parse_json_or_yaml(output));
  TRY("", check_type(document, api_version));
  ExecCredential credential;
  TRY_ASSIGN(const std::string token, "", text_at(document, {"status", "token"}));
  credential.token = trim(token);
  TRY_ASSIGN(credential.certificate, "", text_at(document, {"status", "clientCertificateData"}));
  TRY_ASSIGN(credential.key, "", text_at(document, {"status", "clientKeyData"}));
  TRY_ASSIGN(const std::string expires, "", text_at(document, {"status", "expirationTimestamp"}));
  if (!expires.empty()) {
    TRY_ASSIGN(credential.expires, "status.expirationTimestamp", parse_expiry(expires));
  }
  TRY("", check_secrets(credential));
  return credential;
}

Result<ExecCredential> run_exec_plugin(const ExecContext& context, const std::string& authorities,
                                       const std::stop_token& stop, SteadyTime deadline) {
  const ExecPlugin& plugin = *context.config.exec;
  const std::string name = "exec plugin " + quote(plugin.command);
  io::ProcessSpec spec;
  spec.argv.push_back(plugin.command);
  spec.argv.insert(spec.argv.end(), plugin.args.begin(), plugin.args.end());
  spec.env = context.environment.all();
  for (const auto& [variable, value] : plugin.env) {
    spec.env[variable] = value;
  }
  spec.env["KUBERNETES_EXEC_INFO"] = exec_info(context.config, plugin, authorities);
  spec.deadline = std::min(deadline, context.clock.after(kTimeout));
  spec.grace = kGrace;

  const Result<io::ProcessResult> ran = context.processes.run(spec, stop);
  if (!ran) {
    return fail(name, not_run(plugin, ran.error()));
  }
  if (!ran->succeeded()) {
    return fail(Code::kUnauthenticated, name + ": " + one_line(without_secrets(io::describe(*ran), plugin)));
  }
  auto credential = parse_exec_credential(plugin.api_version, ran->out);
  if (!credential) {
    return fail(Code::kUnauthenticated, name + ": its answer: " + credential.error().message());
  }
  return credential;
}

}  // namespace landfall::kube
