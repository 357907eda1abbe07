#include "location/repository_access.h"

#include <fmt/format.h>

#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "location/location_settings.h"
#include "s3/config.h"
#include "s3/credentials.h"
#include "s3/endpoint.h"

namespace landfall::location {
namespace {

using extension::RepositoryAccess;
using extension::S3Access;

std::string endpoint_of(const s3::S3Config& config, const std::string& region) {
  if (config.endpoint) {
    std::string url = io::to_string(*config.endpoint);
    while (url.ends_with('/')) url.pop_back();
    return url;
  }
  return region.empty() ? "https://s3.amazonaws.com" : fmt::format("https://s3.{}.{}", region, s3::aws_domain(region));
}

Result<RepositoryAccess> in_s3(const Config& config, const World& world, const std::stop_token& stop) {
  TRY_ASSIGN(const s3::S3Config parsed, "", s3::parse_config(config));
  TRY_ASSIGN(const s3::Endpoint endpoint, "", s3::Endpoint::create(parsed));
  TRY_ASSIGN(const auto source, "", s3::make_credentials(parsed, world.environment, world.clock));
  TRY_ASSIGN(const s3::Credentials credentials, "credentials", source->get(stop));
  const std::string region = endpoint.needs_region() ? "" : endpoint.known_region();
  return RepositoryAccess{.s3 = S3Access{.endpoint = endpoint_of(parsed, region),
                                         .bucket = parsed.bucket,
                                         .region = region,
                                         .access_key = credentials.access_key_id,
                                         .secret_key = credentials.secret_access_key,
                                         .session_token = credentials.session_token},
                          .ca_pem = parsed.ca_pem,
                          .skips_tls_verification = parsed.skip_tls_verification};
}

Result<RepositoryAccess> in_bucket(const LocationSettings& settings, const World& world, const std::stop_token& stop) {
  const std::string_view provider =
      strip_prefix(std::string_view(settings.provider), "velero.io/").value_or(settings.provider);
  if (provider == "aws") return in_s3(settings.config, world, stop);
  if (provider == "filesystem") {
    const auto path = settings.config.find("path");
    if (path == settings.config.end()) return fail(Code::kInvalid, "spec.config.path is missing");
    std::string root = path->second;
    while (root.ends_with('/')) root.pop_back();
    return RepositoryAccess{.path = root + "/" + settings.config.at("bucket") + "/"};
  }
  return fail(Code::kUnsupported, "volumes cannot be kept with the provider " + quote(settings.provider) +
                                      ": restic and kopia reach aws (S3) and filesystem");
}

Result<RepositoryAccess> find(const json::Json& location, std::string_view type, std::string_view volume_namespace,
                              kube::Client& client, const World& world, const std::stop_token& stop) {
  // It comes from objects that others write, and becomes a part of a path.
  if (const auto problems = k8s::dns1123_label_problems(volume_namespace); !problems.empty()) {
    return fail(Code::kInvalid, quote(volume_namespace) + " is no namespace: " + k8s::joined(problems));
  }
  TRY_ASSIGN(const LocationSettings settings, "", read_settings(location, client, world, stop));
  TRY_ASSIGN(RepositoryAccess access, "", in_bucket(settings, world, stop));
  const std::string& prefix = settings.config.at("prefix");
  access.path += fmt::format("{}{}/{}", prefix.empty() ? "" : prefix + "/", type, volume_namespace);
  const std::string name_space(k8s::ObjectView(location).name_space());
  TRY_ASSIGN(
      const std::string password, "password of the repositories",
      read_secret(client, name_space, std::string(kRepositorySecret), std::string(kRepositoryPasswordKey), stop));
  access.password = trim(password);
  access.is_read_only = json::string_or(location, {"spec", "accessMode"}, "") == "ReadOnly";
  return access;
}

}  // namespace

Result<RepositoryAccess> repository_access(const json::Json& location, std::string_view type,
                                           std::string_view volume_namespace, kube::Client& client, const World& world,
                                           const std::stop_token& stop) {
  TRY_ASSIGN(RepositoryAccess access,
             fmt::format("backup storage location {}", quote(k8s::ObjectView(location).name())),
             find(location, type, volume_namespace, client, world, stop));
  return access;
}

Status ensure_repository_password(kube::Client& client, const std::string& name_space, const std::stop_token& stop) {
  const kube::Resource secrets(client, {"", "v1", "secrets"}, name_space);
  const auto found = secrets.get(std::string(kRepositorySecret), stop);
  if (found) return {};
  if (found.error().code() != Code::kNotFound) return fail("secret " + std::string(kRepositorySecret), found.error());
  const json::Json secret = {
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"metadata", {{"name", std::string(kRepositorySecret)}, {"namespace", name_space}}},
      {"type", "Opaque"},
      {"stringData", {{std::string(kRepositoryPasswordKey), std::string(kDefaultRepositoryPassword)}}}};
  const auto made = secrets.create(secret, stop);
  if (made || made.error().code() == Code::kAlreadyExists) return {};
  return fail("secret " + std::string(kRepositorySecret), made.error());
}

}  // namespace landfall::location
