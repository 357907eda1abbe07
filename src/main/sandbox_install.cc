#include "main/sandbox_install.h"

#include <filesystem>
#include <system_error>

#include "api/names.h"
#include "cli/cluster.h"
#include "cli_admin/install_definitions.h"
#include "json/json.h"
#include "kube/resource.h"
#include "main/sandbox_check.h"

namespace landfall {
namespace {

using json::Json;

constexpr const char* kBucket = "backups";

// What is there already stays.
Status create(const kube::Resource& resource, const Json& object, const std::stop_token& stop) {
  const auto created = resource.create(object, stop);
  if (created || created.error().code() == Code::kAlreadyExists) return {};
  return fail("", created.error());
}

}  // namespace

Status install_in_sandbox(const std::string& backups, const cli::GlobalFlags& flags, const cli::Context& context) {
  if (backups.empty()) return fail(Code::kInvalid, "--backups is needed: the directory that is to hold them");
  const std::filesystem::path place = std::filesystem::absolute(backups).lexically_normal();
  TRY_ASSIGN(const auto cluster, "", cli::Cluster::of(flags, context));
  TRY("", check_is_sandbox(cluster->client(), context.stop));
  std::error_code error;
  std::filesystem::create_directories(place / kBucket, error);
  if (error) return fail(Code::kInvalid, "--backups: " + place.string() + ": " + error.message());

  kube::Client& client = cluster->client();
  TRY("", cli::install_definitions(client, context, [](const std::string&) { return Status(); }));
  TRY("namespace " + flags.namespace_name,
      create(kube::Resource(client, {"", "v1", "namespaces"}),
             {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", flags.namespace_name}}}},
             context.stop));
  const api::Kind& kind = api::kBackupStorageLocation;
  TRY("backup storage location", create(kube::Resource(client, kind.resource(), flags.namespace_name),
                                        {{"apiVersion", kind.api_version()},
                                         {"kind", std::string(kind.name)},
                                         {"metadata", {{"name", "default"}, {"namespace", flags.namespace_name}}},
                                         {"spec",
                                          {{"provider", "filesystem"},
                                           {"default", true},
                                           {"objectStorage", {{"bucket", kBucket}}},
                                           {"config", {{"path", place.string()}}}}}},
                                        context.stop));
  return context.out.write("Ready for 'landfall server'. Backups are kept in " + (place / kBucket).string() + "\n");
}

}  // namespace landfall
