#include "location/location_settings.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::location {
namespace {

using json::Json;

const k8s::GroupVersionResource kSecrets{"", "v1", "secrets"};

// {"name": …, "key": …}
struct SecretKey {
  std::string name;
  std::string key;
};

std::optional<SecretKey> secret_key_at(const Json& location, const json::Path& path) {
  const Json* selector = json::find(location, path);
  if (selector == nullptr) return std::nullopt;
  return SecretKey{json::string_or(*selector, {"name"}, ""), json::string_or(*selector, {"key"}, "")};
}

// Where this process would find credentials by itself: a server does, by the file that is mounted into its pod.
bool has_own_credentials(const Environment& environment) {
  return environment.get("AWS_SHARED_CREDENTIALS_FILE") || environment.get("AWS_ACCESS_KEY_ID") ||
         environment.get("AWS_WEB_IDENTITY_TOKEN_FILE");
}

class SettingsReader {
 public:
  SettingsReader(const Json& location, kube::Client& client, const World& world, const std::stop_token& stop)
      : location_(location), view_(location), client_(client), world_(world), stop_(stop) {}

  Result<LocationSettings> read() {
    TRY("", read_config());
    TRY("", read_authority());
    TRY("", read_credentials());
    return LocationSettings{.provider = json::string_or(location_, {"spec", "provider"}, ""),
                            .config = std::move(config_),
                            .credentials = std::move(credentials_)};
  }

 private:
  Status read_config() {
    if (const Json* config = json::find(location_, {"spec", "config"})) {
      for (const auto& [key, value] : config->items()) {
        if (!value.is_string()) return fail(Code::kInvalid, fmt::format("spec.config.{}: expected a text", key));
        config_[key] = value.get<std::string>();
      }
    }
    config_["bucket"] = trimmed(json::string_or(location_, {"spec", "objectStorage", "bucket"}, ""));
    config_["prefix"] = trimmed(json::string_or(location_, {"spec", "objectStorage", "prefix"}, ""));
    return {};
  }

  static std::string trimmed(std::string text) {
    text.erase(0, text.find_first_not_of('/'));
    text.erase(text.find_last_not_of('/') + 1);
    return text;
  }

  Status read_authority() {
    const std::string given = json::string_or(location_, {"spec", "objectStorage", "caCert"}, "");
    const auto referred = secret_key_at(location_, {"spec", "objectStorage", "caCertRef"});
    if (!given.empty() && referred) {
      return fail(Code::kInvalid, "spec.objectStorage: caCert and caCertRef cannot both be set");
    }
    if (referred) {
      TRY_ASSIGN(config_["caCert"], "spec.objectStorage.caCertRef", read_secret(*referred));
    } else if (!given.empty()) {
      TRY_ASSIGN(config_["caCert"], "spec.objectStorage.caCert", base64_decode(given));
    }
    return {};
  }

  // Drivers read credentials from a file, as they do everywhere else.
  Status read_credentials() {
    TRY_ASSIGN(const std::optional<std::string> text, "", credentials_text());
    if (!text) return {};
    TRY_ASSIGN(io::MemoryFile file, "", io::MemoryFile::create(*text));
    credentials_.emplace(std::move(file));
    config_["credentialsFile"] = credentials_->path();
    return {};
  }

  Result<std::optional<std::string>> credentials_text() const {
    if (const auto selector = secret_key_at(location_, {"spec", "credential"})) {
      TRY_ASSIGN(std::string text, "spec.credential", read_secret(*selector));
      return text;
    }
    if (has_own_credentials(world_.environment)) return std::nullopt;
    auto text = read_secret({"cloud-credentials", "cloud"});
    if (text) return *std::move(text);
    // It need not be there, nor be ours to read.
    const Code code = text.error().code();
    if (code == Code::kNotFound || code == Code::kForbidden) return std::nullopt;
    return fail("", std::move(text).error());
  }

  Result<std::string> read_secret(const SecretKey& selector) const {
    return location::read_secret(client_, std::string(view_.name_space()), selector.name, selector.key, stop_);
  }

  const Json& location_;
  const k8s::ObjectView view_;
  kube::Client& client_;
  const World& world_;
  const std::stop_token& stop_;
  Config config_;
  std::optional<io::MemoryFile> credentials_;
};

}  // namespace

Result<std::string> read_secret(kube::Client& client, const std::string& name_space, const std::string& secret,
                                const std::string& key, const std::stop_token& stop) {
  TRY_ASSIGN(const Json object, "secret " + quote(secret),
             kube::Resource(client, kSecrets, name_space).get(secret, stop));
  const std::string* data = json::find_string(object, {"data", key});
  if (data == nullptr) {
    return fail(Code::kNotFound, fmt::format("secret {}: has no key {}", quote(secret), quote(key)));
  }
  TRY_ASSIGN(std::string text, fmt::format("secret {}: key {}", quote(secret), quote(key)), base64_decode(*data));
  return text;
}

Result<LocationSettings> read_settings(const Json& location, kube::Client& client, const World& world,
                                       const std::stop_token& stop) {
  return SettingsReader(location, client, world, stop).read();
}

}  // namespace landfall::location
