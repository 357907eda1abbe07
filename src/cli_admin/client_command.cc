#include <memory>

#include "base/strings.h"
#include "cli/client_config.h"
#include "cli_admin/commands.h"

namespace landfall::cli {
namespace {

Status get(const std::vector<std::string>& keys, const Context& context) {
  TRY_ASSIGN(const ClientConfig config, "", ClientConfig::load(context.environment));
  std::string text;
  if (keys.empty()) {
    for (const auto& [key, value] : config.values()) {
      text += key + ": " + value + "\n";
    }
  }
  for (const std::string& key : keys) {
    text += key + ": " + config.get_or(key, "<NOT SET>") + "\n";
  }
  return context.out.write(text);
}

Status set(const std::vector<std::string>& settings, const Context& context) {
  if (settings.empty()) return fail(Code::kInvalid, "what is to be set? KEY=VALUE, such as namespace=backup");
  TRY_ASSIGN(ClientConfig config, "", ClientConfig::load(context.environment));
  for (const std::string& setting : settings) {
    const auto pair = cut(setting, '=');
    // Velero takes no value with an equals sign in it, and goes on with the others.
    if (context.called_as_velero() && (!pair || contains(pair->second, "="))) {
      TRY("", context.err.write("WARNING: invalid KEY=VALUE: " + quote(setting) + "\n"));
      continue;
    }
    if (!pair || pair->first.empty()) {
      return fail(Code::kInvalid, quote(setting) + " is not of the form KEY=VALUE; nothing was changed");
    }
    config.set(std::string(pair->first), std::string(pair->second));
  }
  return config.save();
}

}  // namespace

void add_client_command(const Command& root) {
  const Command config = root.group("client", "Settings of this program").group("config", "Read and change them");
  const auto words = std::make_shared<std::vector<std::string>>();

  const Command get_command = config.leaf("get", "Print settings, all of them or those named");
  get_command.arguments("KEY", *words, "Settings to print");
  get_command.action([words](const Context& context, const GlobalFlags&) { return get(*words, context); });

  const Command set_command =
      config.leaf("set", "Change settings: namespace, features, cacert, colorized; KEY= removes one");
  set_command.arguments("KEY=VALUE", *words, "What to change");
  set_command.action([words](const Context& context, const GlobalFlags&) { return set(*words, context); });
}

}  // namespace landfall::cli
