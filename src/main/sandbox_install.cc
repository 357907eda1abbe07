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

// Its pods stand for the agents, which are started beside the sandbox: a server looks whether a node has one.
Json node_agents(const std::string& name_space) {
  const Json labels = {{"name", "node-agent"}, {"role", "node-agent"}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "DaemonSet"},
          {"metadata", {{"name", "node-agent"}, {"namespace", name_space}}},
          {"spec",
           {{"selector", {{"matchLabels", labels}}},
            {"template",
             {{"metadata", {{"labels", labels}}},
              {"spec", {{"containers", Json::array({{{"name", "node-agent"}, {"image", "landfall"}}})}}}}}}}};
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
  TRY("node agents", create(kube::Resource(client, {"apps", "v1", "daemonsets"}, flags.namespace_name),
                            node_agents(flags.namespace_name), context.stop));
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
  return context.out.write("Ready for 'landfall server' and 'landfall node-agent server'. Backups are kept in " +
                           (place / kBucket).string() + "\n");
}

}  // namespace landfall
