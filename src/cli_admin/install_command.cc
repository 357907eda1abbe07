#include <memory>
#include <string>
#include <vector>

#include "api/definitions.h"
#include "cli/cluster.h"
#include "cli/output.h"
#include "cli_admin/commands.h"
#include "cli_admin/install_definitions.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  bool crds_only = false;
  bool dry_run = false;
  std::string format;
};

Status install(const Flags& flags, const GlobalFlags& global, const Context& context) {
  if (!flags.crds_only) {
    return fail(Code::kUnsupported,
                "only the custom resource definitions can be installed yet: call it with --crds-only");
  }
  const std::vector<Json> objects = api::custom_resource_definitions();
  // As with Velero, printing does not keep it from being done: --dry-run does.
  if (flags.dry_run || !flags.format.empty()) {
    TRY("", context.out.write(objects_text(objects, flags.format == "json" ? Format::kJson : Format::kYaml)));
  }
  if (flags.dry_run) return {};
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  return install_definitions(cluster->client(), context, [&](const std::string& name) -> Status {
    if (!flags.format.empty()) return {};
    return context.out.write("CustomResourceDefinition/" + name + ": applied\n");
  });
}

}  // namespace

void add_install_command(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command command = root.leaf("install", "Install Landfall in a cluster (only --crds-only yet)");
  command.flag("--crds-only", flags->crds_only, "Only the custom resource definitions");
  command.flag("--dry-run", flags->dry_run, "Print what would be installed (as YAML unless -o says json), and stop");
  command.choice("-o,--output", flags->format, {"json", "yaml"}, "Print what is installed");
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return install(*flags, global, context); });
}

}  // namespace landfall::cli
