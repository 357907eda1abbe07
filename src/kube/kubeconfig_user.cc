#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "kube/kubeconfig_entry.h"

namespace landfall::kube {
namespace {

Result<std::map<std::string, std::vector<std::string>>> read_extra(const KubeconfigEntry& entry) {
  std::map<std::string, std::vector<std::string>> extra;
  const json::Json* map = json::find(*entry.value, {"as-user-extra"});
  if (map == nullptr) {
    return extra;
  }
  if (!map->is_object()) {
    return entry.error("as-user-extra: expected an object, got " + std::string(json::type_name(*map)));
  }
  for (const auto& [key, values] : map->items()) {
    TRY_ASSIGN(extra[key], entry.place, json::string_list_at(*entry.value, {"as-user-extra", key}));
  }
  return extra;
}

Status read_impersonation(const KubeconfigEntry& entry, Impersonation& impersonate) {
  TRY_ASSIGN(impersonate.user, "", entry.text("as"));
  TRY_ASSIGN(impersonate.uid, "", entry.text("as-uid"));
  TRY_ASSIGN(impersonate.groups, entry.place, json::string_list_at(*entry.value, {"as-groups"}));
  TRY_ASSIGN(impersonate.extra, "", read_extra(entry));
  const bool asks_for_more = !impersonate.uid.empty() || !impersonate.groups.empty() || !impersonate.extra.empty();
  if (impersonate.user.empty() && asks_for_more) {
    return entry.error("as-uid, as-groups and as-user-extra need a user to act as: \"as\" is missing");
  }
  return {};
}

Status read_certificate(const KubeconfigEntry& entry, Config& config) {
  TRY_ASSIGN(config.client_certificate, "", entry.data_or_file("client-certificate"));
  if (config.client_certificate.empty()) {
    return {};  // a key by itself is of no use, and no harm: kubectl does not look at it either
  }
  TRY_ASSIGN(config.client_key, "", entry.data_or_file("client-key"));
  if (config.client_key.empty()) {
    return entry.error("client-key or client-key-data: is missing, the client certificate is of no use without it");
  }
  return {};
}

}  // namespace

Status read_user(const KubeconfigEntry& entry, Config& config) {
  TRY("", read_impersonation(entry, config.impersonate));
  if (config.server.starts_with("http://")) {
    return {};  // like kubectl: nothing secret goes over a connection that anyone can read
  }
  TRY("", read_certificate(entry, config));
  TRY_ASSIGN(const std::string token, "", entry.text("token"));
  config.token = trim(token);  // a block of YAML ends with a line break
  TRY_ASSIGN(const std::string token_file, "", entry.text("tokenFile"));
  config.token_file = entry.resolve(token_file);
  TRY_ASSIGN(config.username, "", entry.text("username"));
  TRY_ASSIGN(config.password, "", entry.text("password"));
  const bool has_token = !config.token.empty() || !config.token_file.empty();
  if (has_token && (!config.username.empty() || !config.password.empty())) {
    return entry.error("token and username exclude each other: take one of them away");
  }
  if (const json::Json* provider = json::find(*entry.value, {"auth-provider"})) {
    return fail(Code::kUnsupported, entry.place +
                                        ": auth-provider: " + quote(json::string_or(*provider, {"name"}, "")) +
                                        " is not supported, use an exec plugin instead");
  }
  if (const json::Json* exec = json::find(*entry.value, {"exec"})) {
    TRY_ASSIGN(config.exec, "", read_exec(entry, *exec));
  }
  return {};
}

}  // namespace landfall::kube
