#include "cli/app.h"

#include "cli/client_config.h"
#include "cli/command_tree.h"
#include "cli/complete.h"
#include "cli/explain.h"
#include "cli/flag_values.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

void add_global_flags(const Command& root, GlobalFlags& flags) {
  root.flag("--kubeconfig", flags.kubeconfig, "The kubeconfig to use; else $KUBECONFIG, ~/.kube/config, in-cluster");
  root.flag("--kubecontext", flags.kubecontext, "The context in it to use");
  root.flag("-n,--namespace", flags.namespace_name, "The namespace of the server and its resources");
  root.flag("--features", flags.features, "Features to switch on for this call, separated by commas");
  root.flag("--colorized", flags.colorized, "Use colours (default: on a terminal)");
}

// Scripts may give Velero the flags of its logging library. They have no effect on a program that logs nothing.
void add_logging_flags(const Command& root) {
  for (const char* const name : {"--add_dir_header", "--alsologtostderr", "--legacy_stderr_threshold_behavior",
                                 "--logtostderr", "--one_output", "--skip_headers", "--skip_log_headers"}) {
    root.ignored_flag(name);
  }
  for (const char* const name : {"--alsologtostderrthreshold", "--log_backtrace_at", "--log_dir", "--log_file",
                                 "--log_file_max_size", "--stderrthreshold", "-v,--v", "--vmodule"}) {
    root.ignored_value(name);
  }
}

std::string namespace_of(const ClientConfig& settings, const Context& context) {
  return settings.get_or("namespace", context.environment.get_or("VELERO_NAMESPACE", "velero"));
}

// The flag wins over the client configuration, which wins over the environment: Velero's order.
Status resolve(GlobalFlags& flags, const Context& context) {
  const auto config = ClientConfig::load(context.environment);
  if (!config) {
    // A broken settings file must not keep anyone from a restore.
    TRY("", context.err.write(context.called_as_velero()
                                  ? "WARNING: Error reading config file: " + config.error().message() + "\n"
                                  : "WARNING: " + config.error().message() + "; going on without it\n"));
  }
  const ClientConfig settings = config.value_or(ClientConfig());
  if (flags.namespace_name.empty()) {
    flags.namespace_name = namespace_of(settings, context);
  }
  for (const std::string& feature : parse_list(settings.get_or("features", ""))) {
    flags.features.push_back(feature);
  }
  if (!flags.colorized) {
    if (const auto wanted = parse_bool(settings.get_or("colorized", ""))) {
      flags.colorized = *wanted;
    }
  }
  return {};
}

Status run_words(const Context& context, const std::vector<std::string>& words,
                 const std::function<void(const Command&)>& add_commands) {
  CommandTree tree(context.program,
                   "Backs up and restores Kubernetes clusters, and always shows how far you are from land.", words);
  GlobalFlags flags;
  add_global_flags(tree.root(), flags);
  if (context.called_as_velero()) add_logging_flags(tree.root());
  add_commands(tree.root());
  if (!words.empty() && words.front() == kCompleteWord) {
    const auto settings = ClientConfig::load(context.environment).value_or(ClientConfig());
    return context.out.write(
        completion_text(tree, {words.begin() + 1, words.end()}, namespace_of(settings, context), context));
  }
  TRY_ASSIGN(const CommandTree::Parsed parsed, "", tree.parse(words));
  if (!parsed.action) {
    return context.out.write(parsed.text);
  }
  TRY("", resolve(flags, context));
  return parsed.action(context, flags);
}

// Velero knows 1 only. A script can tell damage and ctrl-c from everything else.
int exit_code(const Error& error, const Context& context) {
  constexpr int kDamaged = 2;
  constexpr int kInterrupted = 130;  // as shells report it
  constexpr int kNobodyReads = 141;
  if (context.called_as_velero()) return 1;
  if (is_output_gone(error)) return kNobodyReads;
  if (error.code() == Code::kDataLoss) return kDamaged;
  return error.code() == Code::kCancelled && context.stop.stop_requested() ? kInterrupted : 1;
}

}  // namespace

int run(const Context& context, const std::vector<std::string>& words,
        const std::function<void(const Command& root)>& add_commands) {
  const Status status = run_words(context, words, add_commands);
  if (status) {
    return 0;
  }
  // `| head` has seen enough.
  if (is_output_gone(status.error())) return exit_code(status.error(), context);
  const std::string prefix = context.called_as_velero() ? "velero: " : "Error: ";
  // There is nowhere left to report that the error output is gone.
  static_cast<void>(
      context.err.write(prefix + terminal::printable(explained_for_user(status.error(), context).message()) + "\n"));
  return exit_code(status.error(), context);
}

}  // namespace landfall::cli
