#include <chrono>
#include <memory>
#include <string>

#include "api/names.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "cli/artifacts.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/operation_words.h"
#include "cli/output.h"
#include "cli_restore/restore_commands.h"
#include "cli_restore/restore_plan_text.h"
#include "json/json.h"
#include "restore/plan_document.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  std::string name;
  std::string format = "table";
  bool details = false;
  Duration timeout = std::chrono::minutes(1);
  ArtifactFlags artifacts;
};

Status print(io::Reader& text, const Flags& flags, const Context& context) {
  if (flags.format == "json") {
    TRY("", io::copy(text, context.out));
    return {};
  }
  if (flags.format == "yaml") {
    TRY_ASSIGN(const std::string whole, "", io::read_all(text, bucket::kMaxDocument));
    TRY_ASSIGN(const Json document, "", bucket::parse_document(whole));
    return context.out.write(document_text(document, Format::kYaml));
  }
  TRY_ASSIGN(const restore::Plan plan, "", restore::read_plan(text));
  return context.out.write(plan_text(plan, {.details = flags.details}));
}

Status show_plan(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const ObjectFinder restores(cluster->client(), kRestores, global.namespace_name, context);
  TRY_ASSIGN(const Json restore, "", restores.one(flags.name));
  const Artifacts artifacts(cluster->client(), global.namespace_name, flags.artifacts, context);
  const Status done = artifacts.read(api::DownloadTarget::kRestorePlan, flags.name, flags.timeout,
                                     [&](io::Reader& text) { return print(text, flags, context); });
  if (!done && done.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, "restore " + quote(flags.name) + " (phase " + shown_phase(restore, context) +
                                     ") has no plan: it has not got so far, or Velero's server ran it");
  }
  TRY("plan of restore " + flags.name, done);
  return {};
}

}  // namespace

Command add_restore_plan(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Show what a restore does, in which order, and what it leaves alone");
  command.argument("NAME", flags->name, "The restore");
  command.flag("--details", flags->details, "Show every item");
  command.choice("-o,--output", flags->format, {"table", "json", "yaml"}, "How to print it");
  command.flag("--timeout", flags->timeout, "How long to wait for the plan to come (1m)");
  add_artifact_flags(command, flags->artifacts);
  command.action(
      [flags](const Context& context, const GlobalFlags& global) { return show_plan(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
