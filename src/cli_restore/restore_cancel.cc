#include <memory>
#include <string>

#include "api/names.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/server_version.h"
#include "cli_restore/restore_commands.h"
#include "cli_restore/restore_wait.h"
#include "cli_restore/restore_words.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  bool wait = false;
};

// Velero's server passes over spec.cancel: better to be told than to wait for nothing. One that does not answer will
// find it when it is back.
Status check_server(kube::Client& client, const std::string& name_space, const Context& context) {
  const auto version = ask_server_version(client, name_space, context);
  if (!version && version.error().code() == Code::kTimeout) {
    return context.err.write("WARNING: " + version.error().message() + "; the restore is canceled once one is there\n");
  }
  if (!version) return fail("", version.error());
  if (is_landfall(*version)) return {};
  return fail(Code::kUnsupported,
              "the server is not Landfall but version " + quote(*version) + ", which cannot cancel a restore");
}

Status cancel(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder restores(cluster->client(), kRestores, global.namespace_name, context);
  TRY_ASSIGN(const Json restore, "", restores.one(flags.name));
  if (is_over(restore)) {
    return fail(Code::kInvalid,
                "restore " + quote(flags.name) + " has ended already: " + shown_phase(restore, context));
  }
  TRY("", check_server(cluster->client(), global.namespace_name, context));
  TRY_ASSIGN(const Json changed, "cancel restore " + flags.name,
             restores.resource().patch(flags.name, kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}},
                                       context.stop, {.field_validation = "Strict"}));
  if (!api::is_cancel_wanted(changed)) {
    return fail(Code::kUnsupported,
                "the definitions in the cluster do not know spec.cancel: bring in Landfall's with 'landfall install "
                "--crds-only'");
  }
  TRY("", context.out.write("Restore " + quote(flags.name) +
                            " is being canceled. What has been restored by then stays.\n"));
  if (!flags.wait) return {};
  TRY_ASSIGN(const Json ended, "", await_restore(restores.resource(), changed, context));
  return context.out.write(ending_text(ended) + "\n");
}

}  // namespace

Command add_restore_cancel(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Stop a restore; what has been restored by then stays");
  command.argument("NAME", flags->name, "The restore");
  command.flag("-w,--wait", flags->wait, "Wait until it has ended");
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return cancel(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
