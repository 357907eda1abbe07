#include "main/sandbox_command.h"

#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/random.h"
#include "base/strings.h"
#include "io/file.h"
#include "io/log_sink.h"
#include "json/access.h"
#include "json/json.h"
#include "json/yaml.h"
#include "main/sandbox_install.h"
#include "main/sandbox_seed.h"
#include "sandbox/server.h"
#include "sandbox_world/data_folder.h"
#include "sandbox_world/snapshot.h"
#include "sandbox_world/world.h"

namespace landfall {
namespace {

constexpr const char* kTokenVariable = "LANDFALL_SANDBOX_TOKEN";
constexpr std::size_t kLongestToken = 4096;
constexpr std::size_t kLargestKubeconfig = 1UL << 20U;

struct StartFlags {
  std::string kubeconfig_out;
  std::int64_t port = 0;
  std::string data;
  bool no_workloads = false;
  std::string token_file;
  Duration latency{};
  std::string fail_429;
  std::string fail_500;
  std::string drop_watches;
  std::int64_t fault_seed = 1;
};

// "0.05" or "5%".
Result<double> share(const std::string& flag, const std::string& text) {
  if (text.empty()) return 0;
  std::string_view number = text;
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (is_percent) value /= 100;
  const bool is_share = value >= 0 && value <= 1;  // which "nan" is not
  if (error != std::errc() || end != number.data() + number.size() || !is_share) {
    return fail(Code::kInvalid, flag + ": expected a share such as 0.05 or 5%, got \"" + text + "\"");
  }
  return value;
}

Result<sandbox::FaultPlan> fault_plan(const StartFlags& flags) {
  sandbox::FaultPlan plan{.seed = static_cast<std::uint64_t>(flags.fault_seed), .latency = flags.latency};
  TRY_ASSIGN(plan.throttled, "", share("--fail-429", flags.fail_429));
  TRY_ASSIGN(plan.failed, "", share("--fail-500", flags.fail_500));
  TRY_ASSIGN(plan.dropped, "", share("--drop-watches", flags.drop_watches));
  return plan;
}

// From a file or the environment: an argument could be read by everyone on the machine.
Result<std::string> chosen_token(const StartFlags& flags, const Environment& environment) {
  if (flags.token_file.empty()) return environment.get_or(kTokenVariable, "");
  TRY_ASSIGN(const std::string text, "--token-file", io::read_file(flags.token_file, kLongestToken));
  std::string token(text.substr(0, text.find_last_not_of(" \r\n") + 1));
  if (token.empty()) return fail(Code::kInvalid, "--token-file: " + flags.token_file + " is empty");
  return token;
}

Result<sandbox::DataFolder> data_folder(const StartFlags& flags, const Environment& environment) {
  if (!flags.data.empty()) return sandbox::DataFolder::open(flags.data);
  return sandbox::DataFolder::temporary(environment.get_or("TMPDIR", "/tmp"));
}

Status say_ready(const StartFlags& flags, const sandbox::Sandbox& sandbox, const sandbox::DataFolder& folder,
                 std::size_t restored, const cli::Context& context) {
  std::string text = "Landfall sandbox: a Kubernetes API for development and rehearsals, NOT for production.\n";
  text += "It runs no containers, enforces no RBAC and keeps its state in memory.\n";
  if (restored > 0)
    text += "Restored " + std::to_string(restored) + " objects from " + folder.snapshot().string() + "\n";
  text += flags.no_workloads ? "Workloads, pods and volumes are switched off.\n"
                             : "Volumes and pods have their directories below " + folder.path().string() + "\n";
  if (!folder.is_kept()) text += "Nothing is kept when it stops; --data DIR keeps it.\n";
  TRY("", context.err.write(text));
  return context.out.write("Serving on " + sandbox.url() +
                           "\nexport KUBECONFIG=" + std::filesystem::absolute(flags.kubeconfig_out).string() + "\n");
}

// A file that holds anything but the access to a sandbox is not ours to replace.
Status check_replaceable(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const auto text = io::read_file(path, kLargestKubeconfig);
  const auto config = text ? json::parse_yaml(*text) : Result<json::Json>(fail("", text.error()));
  const json::Json* clusters = config ? json::find(*config, {"clusters"}) : nullptr;
  const bool is_of_sandbox = clusters != nullptr && clusters->is_array() && clusters->size() == 1 &&
                             json::string_or(*clusters, {"0", "name"}, "") == "sandbox";
  if (is_of_sandbox || (text && text->empty())) return {};
  return fail(Code::kAlreadyExists,
              "--kubeconfig-out: " + path + " is there and is not a sandbox's: name another file, or remove it");
}

Status start(const StartFlags& flags, const cli::Context& context) {
  if (flags.kubeconfig_out.empty()) return fail(Code::kInvalid, "--kubeconfig-out is needed: the file to write");
  if (flags.port < 0 || flags.port > std::numeric_limits<std::uint16_t>::max()) {
    return fail(Code::kInvalid, "--port: expected a number from 0 to 65535");
  }
  TRY("", check_replaceable(flags.kubeconfig_out));
  TRY_ASSIGN(const sandbox::FaultPlan plan, "", fault_plan(flags));
  TRY_ASSIGN(const std::string token, "", chosen_token(flags, context.environment));
  TRY_ASSIGN(const sandbox::DataFolder folder, "", data_folder(flags, context.environment));
  const Logger log(context.clock, std::make_shared<io::LineLogSink>(context.err, io::LogFormat::kText),
                   LogLevel::kWarning);
  const bool goes_on = std::filesystem::exists(folder.snapshot());
  const sandbox::SandboxOptions options{
      .port = static_cast<std::uint16_t>(flags.port), .token = token, .bootstrap = !goes_on};
  TRY_ASSIGN(const std::unique_ptr<sandbox::Sandbox> server, "",
             sandbox::Sandbox::prepare(options, context.clock, system_random(), log));
  std::size_t restored = 0;
  if (goes_on) {
    TRY_ASSIGN(restored, "", sandbox::load_snapshot(server->store(), folder.snapshot()));
  }
  server->faults().set(plan);
  sandbox::World world(*server, {.workloads = !flags.no_workloads, .data = folder.path()}, context.clock, log);
  world.start();
  TRY("", server->serve());
  TRY("write kubeconfig", io::write_file(flags.kubeconfig_out, server->kubeconfig(), {.mode = 0600}));
  TRY("", say_ready(flags, *server, folder, restored, context));

  Monitor<bool> never;
  never.wait_until(context.clock, context.stop, kNever, [](bool) { return false; });
  world.stop();
  server->stop();
  if (!folder.is_kept()) return context.err.write("Stopped.\n");
  TRY_ASSIGN(const std::size_t saved, "", sandbox::save_snapshot(server->store(), folder.snapshot()));
  return context.err.write("Stopped; saved " + std::to_string(saved) + " objects in " + folder.snapshot().string() +
                           "\n");
}

void add_start(const cli::Command& group) {
  const auto flags = std::make_shared<StartFlags>();
  const cli::Command command = group.leaf("start", "Serve a Kubernetes API on loopback until ctrl-c");
  command.flag("--kubeconfig-out", flags->kubeconfig_out, "Where to write the kubeconfig for it");
  command.flag("--port", flags->port, "The port to listen on; 0 takes a free one");
  command.flag("--data", flags->data, "A directory that keeps volumes and, after a clean stop, all objects");
  command.flag("--no-workloads", flags->no_workloads, "No node, pods, workloads and volumes: a control plane alone");
  command.flag("--token-file", flags->token_file,
               "A file with the token to accept; else $LANDFALL_SANDBOX_TOKEN, else a random one");
  command.flag("--latency", flags->latency, "Answer so much later");
  command.flag("--fail-429", flags->fail_429, "Refuse this share of requests as too many: 0.05 or 5%");
  command.flag("--fail-500", flags->fail_500, "Fail this share of requests");
  command.flag("--drop-watches", flags->drop_watches, "Cut this share of watches every second");
  command.flag("--fault-seed", flags->fault_seed, "The same seed gives the same faults");
  command.action([flags](const cli::Context& context, const cli::GlobalFlags&) { return start(*flags, context); });
}

void add_install(const cli::Command& group) {
  const auto backups = std::make_shared<std::string>();
  const cli::Command command = group.leaf("install", "Make a sandbox ready for `landfall server`");
  command.flag("--backups", *backups, "The directory that is to hold the backups");
  command.action([backups](const cli::Context& context, const cli::GlobalFlags& flags) {
    return install_in_sandbox(*backups, flags, context);
  });
}

}  // namespace

void add_sandbox_command(const cli::Command& root) {
  const cli::Command group =
      root.group("sandbox", "A Kubernetes API without a cluster, for development and rehearsals");
  add_start(group);
  add_install(group);
  const cli::Command seed = group.leaf("seed", "Fill a sandbox with the sample shop: objects, and volumes with files");
  seed.action([](const cli::Context& context, const cli::GlobalFlags& flags) { return seed_sandbox(flags, context); });
}

}  // namespace landfall
