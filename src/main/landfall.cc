// landfall: the one binary. Wiring only.

#include <sys/ioctl.h>
#include <unistd.h>

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
#include "cli/app.h"
#include "commands/all_commands.h"
#include "io/descriptor.h"
#include "main/sandbox_command.h"

namespace {

using landfall::terminal::Terminal;

Terminal terminal_of(int descriptor) {
  winsize size{};
  Terminal terminal{.is_terminal = isatty(descriptor) == 1};
  if (terminal.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row > 0 ? size.ws_row : terminal.rows;
  }
  return terminal;
}

// Standard output and standard error, unbuffered.
class DescriptorWriter final : public landfall::io::Writer {
 public:
  explicit DescriptorWriter(int descriptor) : descriptor_(descriptor) {}
  landfall::Status write(std::string_view bytes) override {
    errno = 0;
    landfall::Status written = landfall::io::write_descriptor(descriptor_, bytes);
    if (!written && errno == EPIPE) return tl::unexpected(landfall::cli::output_gone());
    return written;
  }
  landfall::Status close() override { return {}; }

 private:
  int descriptor_;
};

// Standard input.
class DescriptorReader final : public landfall::io::Reader {
 public:
  explicit DescriptorReader(int descriptor) : descriptor_(descriptor) {}
  landfall::Result<std::size_t> read(std::span<char> buffer) override {
    return landfall::io::read_descriptor(descriptor_, buffer);
  }

 private:
  int descriptor_;
};

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
  const std::vector<std::string> words(argv, argv + argc);
  const Interrupts interrupts;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error like any other

  DescriptorReader in(STDIN_FILENO);
  DescriptorWriter out(STDOUT_FILENO);
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
