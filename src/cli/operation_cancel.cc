#include "cli/operation_cancel.h"

#include <fmt/format.h>

#include <memory>

#include "api/status.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/operation_wait.h"
#include "cli/operation_words.h"
#include "cli/server_version.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  bool wait = false;
};

std::string_view what_is_left(const Noun& noun) {
  return noun.kind == api::kBackup ? "nothing of it is kept" : "what has been restored by then stays";
}

// Velero's server passes over spec.cancel: better to be told than to wait for nothing. One that does not answer will
// find it when it is back.
Status check_server(kube::Client& client, const Noun& noun, const std::string& name_space, const Context& context) {
  const auto version = ask_server_version(client, name_space, context);
  if (!version && version.error().code() == Code::kTimeout) {
    return context.err.write(
        fmt::format("WARNING: {}; the {} is canceled once one is there\n", version.error().message(), noun.word));
  }
  if (!version) return fail("", version.error());
  if (is_landfall(*version)) return {};
  return fail(Code::kUnsupported, fmt::format("the server is not Landfall but version {}, which cannot cancel a {}",
                                              quote(*version), noun.word));
}

Status cancel(const Flags& flags, const Noun& noun, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder operations(cluster->client(), noun, global.namespace_name, context);
  TRY_ASSIGN(const Json operation, "", operations.one(flags.name));
  if (is_over(operation)) {
    return fail(Code::kInvalid, fmt::format("{} {} has ended already: {}", noun.word, quote(flags.name),
                                            shown_phase(operation, context)));
  }
  TRY("", check_server(cluster->client(), noun, global.namespace_name, context));
  TRY_ASSIGN(const Json changed, fmt::format("cancel {} {}", noun.word, flags.name),
             operations.resource().patch(flags.name, kube::PatchType::kMerge, {{"spec", {{"cancel", true}}}},
                                         context.stop, {.field_validation = "Strict"}));
  if (!api::is_cancel_wanted(changed)) {
    return fail(Code::kUnsupported,
                "the definitions in the cluster do not know spec.cancel: bring in Landfall's with 'landfall install "
                "--crds-only'");
  }
  TRY("", context.out.write(
              fmt::format("{} {} is being canceled; {}.\n", noun.kind.name, quote(flags.name), what_is_left(noun))));
  if (!flags.wait) return {};
  TRY_ASSIGN(const Json ended, "",
             await_operation(operations.resource(), changed, context, {.colorized = global.colorized}));
  return context.out.write(ending_text(ended) + "\n");
}

}  // namespace

Command add_operation_cancel(const Command& group, const std::string& word, const Noun& noun) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, fmt::format("Stop a {}; {}", noun.word, what_is_left(noun)));
  command.argument("NAME", flags->name, fmt::format("The {}", noun.word));
  command.flag("-w,--wait", flags->wait, "Wait until it has ended");
  command.action([flags, noun](const Context& context, const GlobalFlags& global) {
    return cancel(*flags, noun, global, context);
  });
  return command;
}

}  // namespace landfall::cli
