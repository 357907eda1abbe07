#include "cli_admin/location_flags.h"

#include <vector>

#include "base/encoding.h"
#include "base/quote.h"
#include "base/strings.h"
#include "cli/find_objects.h"
#include "io/file.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {

using json::Json;

void add_credential_flag(const Command& command, StringMap& credential) {
  command.flag("--credential", credential,
               "The Secret with its credentials and the key in it, SECRET=KEY (the server's own)");
}

Status put_credential(Json& spec, const StringMap& credential) {
  if (credential.size() > 1) return fail(Code::kInvalid, "--credential takes one SECRET=KEY only");
  for (const auto& [secret, key] : credential) {
    if (secret.empty() || key.empty()) return fail(Code::kInvalid, "--credential needs both, SECRET=KEY");
    spec["credential"] = {{"name", secret}, {"key", key}};
  }
  return {};
}

Result<std::string> read_ca_file(const std::string& path, const Context& context) {
  constexpr std::size_t kMost = std::size_t{1} << 20;  // an object of the API server holds little more
  TRY_ASSIGN(const std::string pem, "--cacert", io::read_file(path, kMost));
  if (!contains(pem, "-----BEGIN CERTIFICATE-----") && !context.called_as_velero()) {
    return fail(Code::kInvalid, "--cacert: " + path + " holds no certificates (PEM)");
  }
  return base64_encode(pem);
}

Result<std::vector<std::string>> default_locations(const kube::Resource& locations, const Context& context) {
  const auto all = locations.list({}, context.stop);
  if (!all) return tl::unexpected(explained(all.error(), context));
  std::vector<std::string> names;
  for (const Json& one : all->items) {
    if (json::bool_or(one, {"spec", "default"}, false)) names.emplace_back(k8s::ObjectView(one).name());
  }
  return names;
}

}  // namespace landfall::cli
