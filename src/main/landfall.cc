// landfall: the one binary. Wiring only.

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "built_in_plugins/built_in_plugins.h"
#include "cli/app.h"
#include "commands/all_commands.h"
#include "io/descriptor.h"
#include "main/sandbox_command.h"

namespace {

using landfall::terminal::Terminal;

Terminal terminal_of(int descriptor) {
  winsize size{};
  // One that cannot move its cursor is written to as a pipe is.
  const bool is_dumb = landfall::Environment::of_process().get_or("TERM", "") == "dumb";
  Terminal terminal{.is_terminal = isatty(descriptor) == 1 && !is_dumb};
  if (terminal.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row > 0 ? size.ws_row : terminal.rows;
  }
  return terminal;
}

// Standard output and standard error, unbuffered.
class DescriptorWriter final : public landfall::io::Writer {
 public:
  explicit DescriptorWriter(int descriptor, bool is_open = true) : descriptor_(descriptor), is_open_(is_open) {}
  landfall::Status write(std::string_view bytes) override {
    if (!is_open_) return landfall::fail(landfall::Code::kInternal, "standard output is closed");
    errno = 0;
    landfall::Status written = landfall::io::write_descriptor(descriptor_, bytes);
    if (!written && errno == EPIPE) return tl::unexpected(landfall::cli::output_gone());
    return written;
  }
  landfall::Status close() override { return {}; }

 private:
  int descriptor_;
  bool is_open_;
};

// Standard input. Whoever waits for it hears a stop.
class DescriptorReader final : public landfall::io::Reader {
 public:
  DescriptorReader(int descriptor, std::stop_token stop)
      : descriptor_(descriptor), stop_(std::move(stop)), wake_(::eventfd(0, EFD_CLOEXEC)) {}
  landfall::Result<std::size_t> read(std::span<char> buffer) override {
    const std::stop_callback wake_up(stop_, [this] { ::eventfd_write(wake_.get(), 1); });
    std::array<pollfd, 2> events{pollfd{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    while (!stop_.stop_requested() && ::poll(events.data(), events.size(), -1) < 0 && errno == EINTR) {
    }
    if (stop_.stop_requested()) return landfall::fail(landfall::Code::kCancelled, "stopped");
    return landfall::io::read_descriptor(descriptor_, buffer);
  }

 private:
  int descriptor_;
  const std::stop_token stop_;
  const landfall::io::Descriptor wake_;
};

// A standard descriptor that is closed would be the number of the next file that is opened, and output would go there.
// False when it was.
bool hold_open(int descriptor, int flags) {
  if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) return true;
  const int opened = ::open("/dev/null", flags);  // NOLINT(*-vararg): it is how it is
  if (opened >= 0 && opened != descriptor) ::dup2(opened, descriptor);
  return false;
}

// Turns the first interrupt into a request to stop, and lets the second end the program as it would without us.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGHUP);  // the terminal was closed
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    watcher_ = std::jthread([this](const std::stop_token& done) { watch(done); });
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts() {
    watcher_.request_stop();
    pthread_kill(watcher_.native_handle(), SIGTERM);  // wakes sigwait
  }

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch(const std::stop_token& done) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (done.stop_requested()) {
      return;
    }
    stop_.request_stop();
    sigwait(&signals_, &signal);
    if (!done.stop_requested()) {
      std::signal(signal, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
      raise(signal);
    }
  }

  sigset_t signals_{};
  std::stop_source stop_;
  std::jthread watcher_;
};

}  // namespace

int main(int argc, char** argv) {
  // Another kind of program: its words are not ours, and signals mean something else.
  if (landfall::built_in_plugins::is_called(argc, argv)) return landfall::built_in_plugins::run(argc, argv);
  const std::vector<std::string> words(argv, argv + argc);
  hold_open(STDIN_FILENO, O_RDONLY);
  const bool has_output = hold_open(STDOUT_FILENO, O_WRONLY);
  hold_open(STDERR_FILENO, O_WRONLY);
  const Interrupts interrupts;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error like any other

  DescriptorReader in(STDIN_FILENO, interrupts.token());
  DescriptorWriter out(STDOUT_FILENO, has_output);
  DescriptorWriter err(STDERR_FILENO);
  const landfall::cli::Context context{
      .program = words.empty() ? "landfall" : std::filesystem::path(words.front()).filename().string(),
      .environment = landfall::Environment::of_process(),
      .clock = landfall::system_clock(),
      .in = in,
      .out = out,
      .err = err,
      .out_terminal = terminal_of(STDOUT_FILENO),
      .err_terminal = terminal_of(STDERR_FILENO),
      .look_again = [] { return terminal_of(STDERR_FILENO); },
      .stop = interrupts.token(),
  };
  const int code = landfall::cli::run(context, {words.begin() + (words.empty() ? 0 : 1), words.end()},
                                      [](const landfall::cli::Command& root) {
                                        landfall::cli::add_all_commands(root);
                                        landfall::add_sandbox_command(root);
                                      });
#ifdef NDEBUG
  // Nothing is buffered and nothing is open. Waiting for the thread of the signals and tidying up after forty libraries
  // is a good part of what a short command takes. Other builds go the long way, for their sanitizers to look.
  std::_Exit(code);
#else
  return code;
#endif
}
