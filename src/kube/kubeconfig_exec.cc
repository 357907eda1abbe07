#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/exec_credential.h"
#include "kube/kubeconfig_entry.h"
#include "kube/written_document.h"

namespace landfall::kube {
namespace {

constexpr std::string_view kExtensionName = "client.authentication.k8s.io/exec";

Result<std::string> required_text(const json::Json& exec, std::string_view field) {
  TRY_ASSIGN(std::string found, "", text_at(exec, {field}));
  if (found.empty()) {
    return fail(Code::kInvalid, std::string(field) + ": is missing");
  }
  return found;
}

Result<std::map<std::string, std::string>> read_environment(const json::Json& exec) {
  std::map<std::string, std::string> variables;
  const json::Json* list = json::find(exec, {"env"});
  if (list == nullptr) {
    return variables;
  }
  TRY("", json::array_at(exec, {"env"}));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string index = std::to_string(i);
    TRY_ASSIGN(const std::string name, "", json::string_at(exec, {"env", index, "name"}));
    TRY_ASSIGN(const auto value, "", json::optional_string_at(exec, {"env", index, "value"}));
    if (name.empty() || contains(name, "=")) {
      return fail(Code::kInvalid, "env[" + index + "].name: is not the name of a variable");
    }
    variables[name] = value.value_or("");
  }
  return variables;
}

// Plugins run without a terminal here, so that one which cannot do without is better refused than started.
Status check_interactive_mode(const json::Json& exec) {
  TRY_ASSIGN(const std::string mode, "", text_at(exec, {"interactiveMode"}));
  if (mode == "Always") {
    return fail(Code::kUnsupported,
                "interactiveMode: is Always, but plugins run without a terminal here; set it to Never or IfAvailable");
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    return fail(Code::kInvalid, "interactiveMode: expected Never, IfAvailable or Always, got " + quote(mode));
  }
  return {};
}

Result<ExecPlugin> read_plugin(const KubeconfigEntry& entry, const json::Json& exec) {
  if (!exec.is_object()) {
    return fail(Code::kInvalid, "expected an object, got " + std::string(json::type_name(exec)));
  }
  ExecPlugin plugin;
  TRY_ASSIGN(plugin.api_version, "", required_text(exec, "apiVersion"));
  TRY("apiVersion", check_exec_api_version(plugin.api_version));
  TRY_ASSIGN(plugin.command, "", required_text(exec, "command"));
  if (contains(plugin.command, "/")) {
    plugin.command = entry.resolve(plugin.command);
  }
  TRY_ASSIGN(plugin.args, "", json::string_list_at(exec, {"args"}));
  TRY_ASSIGN(plugin.env, "", read_environment(exec));
  TRY_ASSIGN(plugin.install_hint, "", text_at(exec, {"installHint"}));
  TRY_ASSIGN(const auto provide, "", json::optional_bool_at(exec, {"provideClusterInfo"}));
  plugin.provide_cluster_info = provide.value_or(false);
  TRY("", check_interactive_mode(exec));
  return plugin;
}

}  // namespace

Result<ExecPlugin> read_exec(const KubeconfigEntry& entry, const json::Json& exec) {
  TRY_ASSIGN(ExecPlugin plugin, entry.place + ": exec", read_plugin(entry, exec));
  return plugin;
}

Result<std::string> read_exec_extension(const KubeconfigEntry& cluster) {
  const json::Json* extensions = json::find(*cluster.value, {"extensions"});
  if (extensions == nullptr) {
    return std::string();
  }
  TRY(cluster.place, json::array_at(*cluster.value, {"extensions"}));
  for (const json::Json& extension : *extensions) {
    const json::Json* content = json::find(extension, {"extension"});
    if (content != nullptr && json::string_or(extension, {"name"}, "") == kExtensionName) {
      return json::dump(*content);
    }
  }
  return std::string();
}

}  // namespace landfall::kube
