#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/definitions.h"
#include "cli/cluster.h"
#include "cli/output.h"
#include "cli_admin/commands.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

const k8s::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

// Velero's command line waits as long.
constexpr Duration kPatience = std::chrono::minutes(1);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);

struct Flags {
  bool crds_only = false;
  bool dry_run = false;
  std::string format;
};

// Waits until the server serves the kind.
Status await_established(const kube::Resource& definitions, const std::string& name, SteadyTime deadline,
                         const Context& context) {
  while (true) {
    TRY_ASSIGN(const Json found, "", definitions.get(name, context.stop));
    if (k8s::ObjectView(found).is_condition_true("Established")) return {};
    if (context.clock.now() >= deadline) return fail(Code::kTimeout, "the server has not established it in time");
    if (!context.clock.sleep_for(kBetweenLooks, context.stop)) return fail(Code::kCancelled, "stopped");
  }
}

// Server-side apply takes Velero's own definitions over, too: nothing of the objects of these kinds is lost.
Status apply(const std::vector<Json>& objects, const GlobalFlags& global, const Context& context, bool is_quiet) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const kube::Resource definitions(cluster->client(), kDefinitions);
  for (const Json& object : objects) {
    const std::string name(k8s::ObjectView(object).name());
    TRY("CustomResourceDefinition " + name, definitions.patch(name, kube::PatchType::kApply, object, context.stop,
                                                              {.field_manager = "landfall", .force = true}));
    if (!is_quiet) TRY("", context.out.write("CustomResourceDefinition/" + name + ": applied\n"));
  }
  const SteadyTime deadline = context.clock.after(kPatience);
  for (const Json& object : objects) {
    const std::string name(k8s::ObjectView(object).name());
    TRY("CustomResourceDefinition " + name, await_established(definitions, name, deadline, context));
  }
  return {};
}

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
  return apply(objects, global, context, !flags.format.empty());
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
