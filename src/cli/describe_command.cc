#include "cli/describe_command.h"

#include <memory>
#include <utility>

#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::vector<std::string> names;
  std::string selector;
  bool details = false;
  ArtifactFlags artifacts;
};

Status run_describe(const DescribeCommand& describe, const Flags& flags, const GlobalFlags& global,
                    const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const bool spans_all = describe.is_of_all_namespaces && flags.names.empty();
  const ObjectFinder finder(cluster->client(), describe.noun, spans_all ? "" : global.namespace_name, context);
  TRY_ASSIGN(const std::vector<Json> found, "", finder.some(flags.names, flags.selector));
  const Artifacts artifacts(cluster->client(), global.namespace_name, flags.artifacts, context);
  bool is_first = true;
  for (const Json& object : found) {
    TRY_ASSIGN(const std::string text, "",
               describe.text({.object = object,
                              .objects = found.size(),
                              .details = flags.details,
                              .client = cluster->client(),
                              .artifacts = artifacts,
                              .global = global,
                              .context = context}));
    TRY("", context.out.write((is_first ? "" : "\n\n") + text));
    is_first = false;
  }
  return {};
}

}  // namespace

Command add_describe(const Command& group, const std::string& word, DescribeCommand describe) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, describe.help);
  const std::string which = describe.is_of_all_namespaces ? " (all, of all namespaces)" : " (all)";
  command.arguments("NAME", flags->names, "The " + std::string(describe.noun.plural) + which);
  command.flag("-l,--selector", flags->selector, "Only those with these labels");
  if (describe.has_files) {
    command.flag("--details", flags->details, "Show each item, operation and volume");
    add_artifact_flags(command, flags->artifacts);
  }
  if (describe.add_flags) describe.add_flags(command);
  command.action([flags, describe = std::move(describe)](const Context& context, const GlobalFlags& global) {
    return run_describe(describe, *flags, global, context);
  });
  return command;
}

}  // namespace landfall::cli
