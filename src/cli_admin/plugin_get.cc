#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/cluster.h"
#include "cli/output.h"
#include "cli/server_version.h"
#include "cli_admin/admin_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "terminal/table.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

using json::Json;

struct Flags {
  Duration timeout = std::chrono::seconds(5);
  OutputFlags output;
};

struct Plugin {
  std::string kind;
  std::string name;
  friend auto operator<=>(const Plugin&, const Plugin&) = default;
};

// By kind, and by name.
std::vector<Plugin> plugins_of(const Json& status) {
  std::vector<Plugin> plugins;
  const Json* list = json::find(status, {"status", "plugins"});
  if (list == nullptr || !list->is_array()) return plugins;
  for (const Json& plugin : *list) {
    plugins.push_back({.kind = json::string_or(plugin, {"kind"}, ""), .name = json::string_or(plugin, {"name"}, "")});
  }
  std::ranges::sort(plugins);
  return plugins;
}

std::string text_of(const Json& status, Format format, const Context& context) {
  if (format == Format::kJson || format == Format::kYaml) {
    // A blank line follows Velero's YAML.
    const bool is_longer = format == Format::kYaml && context.called_as_velero();
    return document_text(status, format) + (is_longer ? "\n" : "");
  }
  terminal::Table table({"NAME", "KIND"});
  std::string names;
  for (Plugin& plugin : plugins_of(status)) {
    names += terminal::printable(plugin.name) + "\n";
    table.add({std::move(plugin.name), std::move(plugin.kind)});
  }
  return format == Format::kName ? names : table.text();
}

Status get(const Flags& flags, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const auto status = ask_server(cluster->client(), global.namespace_name, flags.timeout, context);
  if (status) return context.out.write(text_of(*status, format_of(flags.output), context));
  if (!context.called_as_velero()) return fail("", status.error());
  // Velero says so on the output and takes it for a success.
  const bool is_late = status.error().code() == Code::kTimeout;
  const std::string why = is_late ? "context deadline exceeded" : status.error().message();
  return context.out.write("<error getting plugin information: " + why + ">\n");
}

}  // namespace

Command add_plugin_get(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "List the plugins of the server");
  command.flag("--timeout", flags->timeout, "How long to wait for the server's answer (5s)");
  add_output_flags(command, flags->output);
  command.action([flags](const Context& context, const GlobalFlags& global) { return get(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
