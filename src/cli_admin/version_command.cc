#include <fmt/format.h>

#include <chrono>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/status.h"
#include "base/strings.h"
#include "cli/build_info.h"
#include "cli/cluster.h"
#include "cli/explain.h"
#include "cli/output.h"
#include "cli/server_version.h"
#include "cli_admin/commands.h"
#include "json/json.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

struct Flags {
  bool client_only = false;
  Duration timeout = std::chrono::seconds(5);
  OutputFlags output;
};

// "v1.18.3+x" is {1, 18}. Nothing for what is no such version, as that of a build from a branch.
std::optional<std::pair<std::uint64_t, std::uint64_t>> major_minor(std::string_view version) {
  const auto numbers = strip_prefix(version, "v");
  const auto parts = numbers ? cut(*numbers, '.') : std::nullopt;
  if (!parts) return std::nullopt;
  const auto major = parse_uint64(parts->first);
  const auto minor = parse_uint64(parts->second.substr(0, parts->second.find_first_of(".-+")));
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

// Whoever is older is to be updated; a version that cannot be read counts as old.
std::string mismatch(const std::string& server_version) {
  const auto client = major_minor(build_version());
  const auto server = major_minor(server_version);
  if (client == server) return "";
  return std::string("# WARNING: the client version does not match the server version. Please update ") +
         (client > server ? "server" : "client") + "\n";
}

// Velero's words for it, which scripts may look for.
std::string reason_of(const Error& error, const Context& context) {
  if (context.called_as_velero() && error.code() == Code::kTimeout) return "context deadline exceeded";
  return terminal::printable(explained_for_user(error, context).message());
}

Result<std::string> server_version(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  TRY_ASSIGN(const json::Json status, "", ask_server(cluster->client(), global.namespace_name, flags.timeout, context));
  return api::status_text(status, api::field::kServerVersion);
}

Status print_document(const std::optional<Result<std::string>>& server, Format format, const Context& context) {
  json::Json document;
  document["client"] = {{"version", build_version()}, {"gitCommit", build_commit()}};
  if (server && *server) document["server"] = {{"version", **server}};
  if (server && !*server) document["server"] = {{"error", reason_of(server->error(), context)}};
  return context.out.write(document_text(document, format));
}

Status run(const Flags& flags, const GlobalFlags& global, const Context& context) {
  // Velero fails before it prints anything when it does not even know a cluster.
  if (!flags.client_only && context.called_as_velero()) TRY("", Cluster::of(global, context));
  const Format format = format_of(flags.output);
  const bool is_document = format == Format::kJson || format == Format::kYaml;
  const std::string client = fmt::format("Client:\n\tVersion: {}\n\tGit commit: {}\n", build_version(), build_commit());
  // At once: the server may take its time.
  if (!is_document) TRY("", context.out.write(client));
  std::optional<Result<std::string>> server;
  if (!flags.client_only) server = server_version(flags, global, context);
  if (is_document) return print_document(server, format, context);
  if (!server) return {};
  if (!*server) {
    if (server->error().code() == Code::kCancelled) return fail("", server->error());
    return context.out.write("<error getting server version: " + reason_of(server->error(), context) + ">\n");
  }
  return context.out.write("Server:\n\tVersion: " + terminal::printable(**server) + "\n" + mismatch(**server));
}

}  // namespace

void add_version_command(const Command& root) {
  const auto flags = std::make_shared<Flags>();
  const Command command = root.leaf("version", "Print the version of this program, and of the server");
  command.flag("--client-only", flags->client_only, "Do not ask the server");
  command.flag("--timeout", flags->timeout, "How long to wait for the server's answer (5s)");
  add_output_flags(command, flags->output);
  command.action([flags](const Context& context, const GlobalFlags& global) { return run(*flags, global, context); });
}

}  // namespace landfall::cli
