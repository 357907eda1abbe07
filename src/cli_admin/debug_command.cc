#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/app.h"
#include "cli/build_info.h"
#include "cli/cluster.h"
#include "cli/explain.h"
#include "cli/find_objects.h"
#include "cli/temporary_directory.h"
#include "cli_admin/commands.h"
#include "cli_admin/debug_collect.h"
#include "json/json.h"
#include "kube/resource.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

struct Flags {
  std::string output;
  std::string backup;
  std::string restore;
  bool verbose = false;
  bool force = false;
};

// Velero's name for it, but in UTC.
std::string default_path(const Context& context) {
  std::string time = format_rfc3339(context.clock.wall_now()).substr(0, std::string_view("2026-05-20T10:01:00").size());
  for (char& c : time) {
    if (c == 'T' || c == ':') c = '-';
  }
  return "bundle-" + time + ".tar.gz";
}

// The same words for the same cluster, with nothing on the way but what goes into the bundle.
RunWords nested(const GlobalFlags& global, const Context& context, const std::function<void(const Command&)>& all) {
  return [&global, &context, &all](std::vector<std::string> words, io::Writer& out) -> Status {
    words.insert(words.end(), {"--namespace", global.namespace_name, "--colorized=false"});
    if (!global.kubeconfig.empty()) words.insert(words.end(), {"--kubeconfig", global.kubeconfig});
    if (!global.kubecontext.empty()) words.insert(words.end(), {"--kubecontext", global.kubecontext});
    io::StringReader nothing("");
    io::StringWriter complaints;
    const Context inner{.program = context.program,
                        .environment = context.environment,
                        .clock = context.clock,
                        .in = nothing,
                        .out = out,
                        .err = complaints,
                        .stop = context.stop};
    if (run(inner, words, all) == 0) return {};
    return fail(Code::kUnavailable, std::string(trim(complaints.str())));
  };
}

// What would make the whole bundle useless is said before it is begun.
Status check(kube::Client& client, const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY("", client.call({.path = "/version"}, context.stop));
  if (!flags.backup.empty()) {
    TRY("--backup", ObjectFinder(client, kBackups, global.namespace_name, context).one(flags.backup));
  }
  if (!flags.restore.empty()) {
    TRY("--restore", ObjectFinder(client, kRestores, global.namespace_name, context).one(flags.restore));
  }
  if (!context.called_as_velero()) return {};
  const kube::Resource deployments(client, {"apps", "v1", "deployments"}, global.namespace_name);
  TRY_ASSIGN(const auto found, "failed to check velero deployment",
             deployments.list({.label_selector = "component=velero"}, context.stop));
  if (!found.items.empty()) return {};
  return fail(Code::kNotFound, "velero deployment does not exist in namespace: " + global.namespace_name);
}

Status collect(DebugCollector& collector, const Flags& flags) {
  TRY("", collector.objects());
  TRY("", collector.versions());
  TRY("", collector.events());
  TRY("", collector.pod_logs());
  if (!flags.backup.empty()) TRY("", collector.operation("backup", flags.backup));
  if (!flags.restore.empty()) TRY("", collector.operation("restore", flags.restore));
  return {};
}

Status debug(const Flags& flags, const GlobalFlags& global, const Context& context,
             const std::function<void(const Command&)>& all) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  kube::Client& client = cluster->client();
  TRY("", check(client, flags, global, context));
  const std::string path = flags.output.empty() ? default_path(context) : flags.output;
  TRY_ASSIGN(const auto bundle, "",
             DebugBundle::create({.path = path,
                                  .replace = flags.force || context.called_as_velero(),
                                  .temporary_directory = temporary_directory(context)},
                                 context.clock));
  const auto say = [&](const std::string& what) {
    // Progress is no reason to fail.
    if (flags.verbose) static_cast<void>(context.err.write("Collecting " + terminal::printable(what) + "\n"));
  };
  DebugCollector collector(client, global, context, *bundle, nested(global, context, all), say);
  TRY("debug bundle", collect(collector, flags));
  if (context.stop.stop_requested()) return fail(Code::kCancelled, "stopped; there is no bundle");
  TRY("debug bundle", bundle->close(fmt::format(
                          "A debug bundle of {} {} ({}), made at {}.\nCluster: {}\nNamespace: {}\n\nIt holds the "
                          "objects of velero.io in that namespace and Velero's workloads (objects/), events "
                          "(events.yaml), and:",
                          context.program, build_version(), build_commit(), format_rfc3339(context.clock.wall_now()),
                          client.connection().server(), global.namespace_name)));
  for (const std::string& line : bundle->missing()) {
    TRY("", context.err.write("Missing: " + terminal::printable(line) + "\n"));
  }
  std::error_code ignored;
  const std::string shown = std::filesystem::absolute(path, ignored).lexically_normal().string();
  return context.out.write("Generated debug information bundle: " + shown + "\n");
}

}  // namespace

void add_debug_command(const Command& root, const std::function<void(const Command& root)>& all) {
  const auto flags = std::make_shared<Flags>();
  const Command command =
      root.leaf("debug", "Collect what others need to help you: objects, logs and versions, without secrets");
  command.flag("--output", flags->output, "Where to write it (./bundle-TIME.tar.gz)");
  command.flag("--force", flags->force, "Replace the file if there is one already");
  command.flag("--backup", flags->backup, "A backup whose description and log go into it");
  command.flag("--restore", flags->restore, "A restore whose description and log go into it");
  command.flag("--verbose", flags->verbose, "Say what is being collected");
  command.action(
      [flags, all](const Context& context, const GlobalFlags& global) { return debug(*flags, global, context, all); });
}

}  // namespace landfall::cli
