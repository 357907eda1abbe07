#include "plugin/plugin_process.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <pthread.h>

#include <filesystem>

#include "base/quote.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "plugin/child_environment.h"

namespace landfall::plugin {
namespace {

constexpr std::size_t kLongestLastWords = 300;
constexpr Duration kEndTakes = std::chrono::seconds(10);

void set_limit(grpc::ClientContext& context, Duration limit) {
  if (limit > Duration::zero()) context.set_deadline(gpr_time_from_nanos(limit.count(), GPR_TIMESPAN));
}

std::shared_ptr<grpc::Channel> make_channel(const plugin_protocol::Handshake& handshake) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  return grpc::CreateCustomChannel(channel_target(handshake), grpc::InsecureChannelCredentials(), arguments);
}

std::vector<std::string> arguments_of(const std::string& command, const HostOptions& options) {
  return {command, fmt::format("--log-level={}", to_string(options.log_level)),
          fmt::format("--features={}", join(options.features, ","))};
}

}  // namespace

Stubs::Stubs(const std::shared_ptr<grpc::Channel>& channel)
    : lister(generated::PluginLister::NewStub(channel)),
      object_store(generated::ObjectStore::NewStub(channel)),
      snapshotter(generated::VolumeSnapshotter::NewStub(channel)),
      backup(generated::BackupItemAction::NewStub(channel)),
      backup_v2(v2::BackupItemAction::NewStub(channel)),
      restore(generated::RestoreItemAction::NewStub(channel)),
      restore_v2(v2::RestoreItemAction::NewStub(channel)),
      deletion(generated::DeleteItemAction::NewStub(channel)),
      item_block(::v1::ItemBlockAction::NewStub(channel)),
      progress(v1::VolumeSnapshotterProgress::NewStub(channel)),
      controller(::plugin::GRPCController::NewStub(channel)),
      stdio(::plugin::GRPCStdio::NewStub(channel)) {}

Result<std::shared_ptr<PluginProcess>> PluginProcess::start(const ProcessStart& start, const std::stop_token& stop) {
  const std::string context = "start plugin " + start.command;
  TRY_ASSIGN(io::TempDir directory, context, start.sockets->room(start.clock, stop));
  auto process = std::make_shared<PluginProcess>(start, std::move(directory));
  TRY_ASSIGN(const plugin_protocol::Handshake handshake, context, process->wait_for_handshake(stop));
  process->connect(handshake);
  return process;
}

PluginProcess::PluginProcess(const ProcessStart& start, io::TempDir directory)
    : command_(start.command),
      options_(start.options),
      sockets_(start.sockets),
      clock_(start.clock),
      processes_(start.processes),
      log_(start.log.with(
          {{"cmd", start.command}, {"pluginName", std::filesystem::path(start.command).filename().string()}})),
      directory_(std::move(directory)),
      spec_{.argv = arguments_of(start.command, *start.options),
            .env = child_environment(*start.options, directory_.path(), start.has_credentials),
            .on_stdout_line =
                [this](std::string_view line) {
                  // What comes after the first is read, so that the plugin can go on, and dropped.
                  if (state_.with([](const State& state) { return state.first_line.has_value(); })) return;
                  state_.update([&](State& state) { state.first_line = std::string(line); });
                },
            .on_stderr_line = [this](std::string_view line) { log_line(line); },
            .line_limit = LogLineReader::kLongestLine,
            .grace = Duration::zero()},
      runner_([this](const std::stop_token& until) { run(until); }) {}

PluginProcess::~PluginProcess() {
  stdio_context_.TryCancel();
  if (stubs_ && !has_ended()) {
    grpc::ClientContext context;
    set_limit(context, options_->shutdown_limit);
    ::plugin::Empty answer;
    // Most just end, so that the answer says nothing.
    static_cast<void>(stubs_->controller->Shutdown(&context, {}, &answer));
    const bool ended = state_.wait_until(clock_, {}, clock_.after(options_->exit_limit),
                                         [](const State& state) { return state.ending.has_value(); });
    if (!ended) log_.warning("the plugin does not end when it is asked to, and is killed");
  }
  runner_.request_stop();
  if (runner_.joinable()) runner_.join();
  if (stdio_.joinable()) stdio_.join();
}

bool PluginProcess::has_ended() const {
  return state_.with([](const State& state) { return state.ending.has_value(); });
}

std::optional<std::string> PluginProcess::ending() const {
  state_.wait_until(clock_, {}, clock_.after(kEndTakes), [](const State& state) { return state.ending.has_value(); });
  return state_.copy().ending;
}

void PluginProcess::run(const std::stop_token& until) {
  pthread_setname_np(pthread_self(), "plugin");
  const auto result = processes_.run(spec_, until);
  std::string ending = result ? io::describe(*result) : result.error().message();
  if (!last_words_.empty()) ending += ": " + last_words_;
  state_.update([&](State& state) { state.ending = std::move(ending); });
  calls_.with([](Calls& calls) {
    calls.has_ended = true;
    for (grpc::ClientContext* const one : calls.under_way) one->TryCancel();
  });
}

void PluginProcess::log_line(std::string_view line) {
  LogLine read = lines_.read(line);
  // What a plugin logs properly is no last word: that is what a runtime writes before it gives up.
  if (read.fields.empty() && !trim(line).empty() && !line.starts_with('{')) {
    last_words_ = to_valid_utf8(trim(line).substr(0, kLongestLastWords));
  }
  Logger log = log_;
  for (const LogField& field : read.fields) log = log.with({field});
  log.log(read.level, read.message);
}

Result<plugin_protocol::Handshake> PluginProcess::wait_for_handshake(const std::stop_token& stop) {
  const bool is_there = state_.wait_until(clock_, stop, clock_.after(options_->start_limit), [](const State& state) {
    return state.first_line.has_value() || state.ending.has_value();
  });
  const State state = state_.copy();
  if (state.first_line) return plugin_protocol::parse_handshake(*state.first_line);
  if (!is_there && stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!is_there) {
    return fail(Code::kTimeout, fmt::format("no handshake within {} s",
                                            std::chrono::ceil<std::chrono::seconds>(options_->start_limit).count()));
  }
  return fail(Code::kUnavailable, "it ended before its handshake: " + state.ending.value_or("unknown"));
}

void PluginProcess::connect(const plugin_protocol::Handshake& handshake) {
  stubs_ = std::make_unique<Stubs>(make_channel(handshake));
  stdio_ = std::jthread([this] { drain_stdio(); });
}

// Go plugins write their standard streams there after the handshake and stand still when nobody reads them. What it
// says is dropped, as Velero does: logs take another way.
void PluginProcess::drain_stdio() {
  pthread_setname_np(pthread_self(), "plugin-stdio");
  const auto reader = stubs_->stdio->StreamStdio(&stdio_context_, {});
  ::plugin::StdioData data;
  while (reader->Read(&data)) {
  }
  static_cast<void>(reader->Finish());
}

PluginProcess::Call::Call(PluginProcess& process, const std::stop_token& stop, Duration limit)
    : process_(process), on_stop_(stop, Cancel{&context_}) {
  set_limit(context_, limit);
  const bool has_ended = process.calls_.with([&](Calls& calls) {
    calls.under_way.insert(&context_);
    return calls.has_ended;
  });
  if (has_ended) context_.TryCancel();
}

PluginProcess::Call::~Call() {
  process_.calls_.with([&](Calls& calls) { calls.under_way.erase(&context_); });
}

}  // namespace landfall::plugin
