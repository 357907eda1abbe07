#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "io/descriptor.h"
#include "plugin_kit/arguments.h"
#include "plugin_kit/log_lines.h"
#include "plugin_kit/plugin_kit.h"
#include "plugin_kit/registry.h"
#include "plugin_kit/services.h"
#include "plugin_protocol/handshake.h"

namespace landfall::plugin_kit {
namespace {

constexpr std::size_t kLongestSocket = 107;  // what fits into a sockaddr_un
// A host waits two seconds before it kills.
constexpr Duration kEnd = std::chrono::milliseconds(1500);

int refuse(const std::string& why) {
  static_cast<void>(io::write_descriptor(STDERR_FILENO, why + "\n"));
  return 1;
}

// Standard output is for the handshake alone: what libraries print goes where the log goes.
io::Descriptor take_standard_output() {
  io::Descriptor handshake(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));  // NOLINT(*-vararg)
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return handshake;
}

Result<std::string> socket_path(const Environment& environment) {
  std::string directory = environment.get_or(std::string(plugin_protocol::kSocketDirName), "");
  if (directory.empty()) directory = environment.get_or("TMPDIR", "");
  if (directory.empty()) directory = "/tmp";
  std::string path = std::filesystem::absolute(directory).string() + "/plugin" + name_suffix(system_random(), 12);
  if (path.size() > kLongestSocket) return fail(Code::kInvalid, path + ": too long for a socket; set another TMPDIR");
  return path;
}

// Ends the wait of the main thread: the host has asked for it, has died, or somebody has sent SIGTERM.
class End {
 public:
  explicit End(Clock& clock) : clock_(clock), parent_(::getppid()) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }

  void come() {
    is_near_.update([](bool& is_near) { is_near = true; });
  }
  void wait() {
    is_near_.wait_until(clock_, {}, kNever, [](bool is_near) { return is_near; });
  }

 private:
  // The kernel's own signal for it goes by the thread that has started us, and those of a host come and go.
  void watch(const std::stop_token& stop) {
    const timespec second{.tv_sec = 1, .tv_nsec = 0};
    while (!stop.stop_requested()) {
      const bool is_asked = ::sigtimedwait(&signals_, nullptr, &second) == SIGTERM;
      if (is_asked || ::getppid() != parent_) return come();
    }
  }

  Clock& clock_;
  const pid_t parent_;
  sigset_t signals_{};
  Monitor<bool> is_near_;
  std::jthread watcher_;
};

// A handler that does not hear the stop is left alone: the program ends in time whatever it does.
void end(Registry& registry, grpc::Server& server, const std::string& path) {
  registry.calls.stop_all();
  Monitor<bool> is_over;
  std::jthread closing([&] {
    server.Shutdown();
    is_over.update([](bool& value) { value = true; });
  });
  const bool is_orderly = is_over.wait_until(registry.context.clock, {}, registry.context.clock.after(kEnd),
                                             [](bool value) { return value; });
  ::unlink(path.c_str());
  if (!is_orderly) std::_Exit(0);
}

int run(Plugins& plugins, const io::Descriptor& handshake, End& ending) {
  Registry& registry = plugins.registry();
  const auto path = socket_path(registry.context.environment);
  if (!path) return refuse(path.error().message());

  Services services;
  add_lister_service(registry, services);
  add_object_store_service(registry, services);
  add_snapshotter_services(registry, services);
  add_backup_action_services(registry, services);
  add_restore_action_services(registry, services);
  add_other_action_services(registry, services);
  add_support_services(registry, [&ending] { ending.come(); }, services);

  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + *path, grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  for (const auto& service : services) builder.RegisterService(service.get());
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return refuse("cannot listen on " + *path);

  const plugin_protocol::Handshake line{.network = plugin_protocol::Network::kUnix, .address = *path};
  if (io::write_descriptor(handshake.get(), plugin_protocol::print_handshake(line))) ending.wait();
  end(registry, *server, *path);
  return 0;
}

}  // namespace

int serve(int argc, char** argv, const std::function<void(Plugins& plugins, const Context& context)>& add) {
  const std::vector<std::string> words(argv, argv + argc);
  const Environment environment = Environment::of_process();
  if (environment.get_or(std::string(plugin_protocol::kCookieName), "") != plugin_protocol::kCookieValue) {
    return refuse(
        "This program is a plugin: it is started by a Landfall or Velero server that finds it in its plugin "
        "directory, and is not meant to be executed directly.");
  }
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const io::Descriptor handshake = take_standard_output();
  const Arguments arguments = read_arguments({words.begin() + (words.empty() ? 0 : 1), words.end()});
  Clock& clock = system_clock();
  End ending(clock);
  const Context context{.log = Logger(clock, std::make_shared<LogLines>(STDERR_FILENO), arguments.log_level),
                        .environment = environment,
                        .clock = clock,
                        .program = words.empty() ? "" : words.front(),
                        .features = arguments.features};
  try {
    Plugins plugins(context);
    add(plugins, context);
    return run(plugins, handshake, ending);
  } catch (const std::exception& thrown) {
    return refuse(std::string("plugin panicked: ") + thrown.what());
  }
}

}  // namespace landfall::plugin_kit
