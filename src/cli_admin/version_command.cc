#include <memory>

#include "cli/build_info.h"
#include "cli/output.h"
#include "cli_admin/commands.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

struct Flags {
  bool client_only = false;
  OutputFlags output;
};

Status run(const Flags& flags, const Context& context) {
  const Format format = format_of(flags.output);
  if (format == Format::kJson || format == Format::kYaml) {
    json::Json document;
    document["client"] = {{"version", build_version()}, {"gitCommit", build_commit()}};
    return context.out.write(document_text(document, format));
  }
  return context.out.write("Client:\n\tVersion: " + std::string(build_version()) +
                           "\n\tGit commit: " + std::string(build_commit()) + "\n");
}

}  // namespace

void add_version_command(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command command = root.leaf("version", "Print the version of this program");
  command.flag("--client-only", flags->client_only, "Do not ask the server (no build asks it yet)");
  add_output_flags(command, flags->output);
  command.action([flags](const Context& context, const GlobalFlags&) { return run(*flags, context); });
}

}  // namespace landfall::cli
