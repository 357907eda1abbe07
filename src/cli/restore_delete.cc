#include <memory>
#include <string>
#include <vector>

#include "api/names.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/restore_commands.h"
#include "cli/restore_find.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string selector;
  bool all = false;
  bool confirm = false;
};

Status check(const Flags& flags) {
  const int ways = (flags.names.empty() ? 0 : 1) + (flags.selector.empty() ? 0 : 1) + (flags.all ? 1 : 0);
  if (ways != 1) {
    return fail(Code::kInvalid, "which restores? Give their names, or --selector, or --all: one of the three");
  }
  if (!flags.confirm) {
    return fail(Code::kInvalid,
                "deleting a restore deletes its log, results and plan, and cancels it while it runs; what it has "
                "restored stays. Add --confirm if that is what you want");
  }
  return {};
}

Status remove(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", check(flags));
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const kube::Resource restores(cluster->client(), api::kRestore.resource(), global.namespace_name);
  TRY_ASSIGN(const std::vector<Json> found, "", find_restores(restores, flags.names, flags.selector, context.stop));
  if (found.empty()) return context.out.write("No restores found\n");
  for (const Json& restore : found) {
    const k8s::ObjectView view(restore);
    const std::string name(view.name());
    TRY("delete restore " + name, restores.remove(name, context.stop, {.uid = std::string(view.uid())}));
    TRY("", context.out.write("Request to delete restore " + quote(name) +
                              " submitted successfully.\nThe restore will be fully deleted after all associated data "
                              "(restore files in object storage) are removed.\n"));
  }
  return {};
}

}  // namespace

void add_restore_delete(const Command& group) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf("delete", "Delete restores, with their logs and results, not what they restored");
  command.arguments("NAME", flags->names, "Those to delete");
  command.flag("-l,--selector", flags->selector, "Those with these labels");
  command.flag("--all", flags->all, "All of them");
  command.flag("--confirm", flags->confirm, "Do it");
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return remove(*flags, global, context); });
}

}  // namespace landfall::cli
