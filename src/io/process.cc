#include "io/process.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "base/guarded.h"
#include "base/strings.h"
#include "io/process_output.h"
#include "io/process_spawn.h"

namespace landfall::io {
namespace {

constexpr std::size_t kChunk = 64UL * 1024;

// Ends a child that should not go on: at the deadline, on a stop, or when told to. It has a thread of its own, because
// the one that runs the process may be busy in a line handler.
//
// The child must not be reaped before finish(): until then its id cannot belong to anyone else.
class Watchdog {
 public:
  Watchdog(Clock& clock, const ProcessSpec& spec, pid_t group, std::stop_token stop)
      : clock_(clock),
        deadline_(spec.deadline),
        grace_(spec.grace),
        group_(group),
        stop_(std::move(stop)),
        thread_([this] {
          pthread_setname_np(pthread_self(), "process-watch");
          watch();
        }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() { exited(); }

  // The child has to end, for this reason. Too late when it has ended already.
  void end(Error why) {
    state_.update([&](State& state) {
      if (!state.why && !state.exited) {
        state.why = std::move(why);
      }
    });
  }

  void exited() {
    state_.update([](State& state) { state.exited = true; });
  }

  // Once the child has ended: why it had to, if it had to.
  std::optional<Error> finish() {
    thread_.join();
    return state_.copy().why;
  }

 private:
  struct State {
    bool exited = false;
    std::optional<Error> why;
  };

  void watch() {
    const bool told = state_.wait_until(clock_, stop_, deadline_,
                                        [](const State& state) { return state.exited || state.why.has_value(); });
    if (!told) {
      end(stop_.stop_requested() ? Error(Code::kCancelled, "stopped") : Error(Code::kTimeout, "not done in time"));
    }
    if (!state_.with([](const State& state) { return state.why.has_value(); })) {
      return;
    }
    ::kill(-group_, SIGTERM);
    state_.wait_until(clock_, {}, clock_.after(grace_), [](const State& state) { return state.exited; });
    ::kill(-group_, SIGKILL);  // also when the child itself is gone: what it started goes with it
  }

  Clock& clock_;
  const SteadyTime deadline_;
  const Duration grace_;
  const pid_t group_;
  const std::stop_token stop_;
  Monitor<State> state_;
  std::jthread thread_;  // last: it uses all of the above
};

// Writes the child's input, in a thread of its own: the reader may block, and so may a child that does not read.
class Feeder {
 public:
  Feeder(Reader& reader, Descriptor pipe, Descriptor wake, Watchdog& watchdog)
      : reader_(reader),
        pipe_(std::move(pipe)),
        wake_(std::move(wake)),
        watchdog_(watchdog),
        thread_([this](const std::stop_token& stop) {
          pthread_setname_np(pthread_self(), "process-input");
          feed(stop);
        }) {}

 private:
  void feed(const std::stop_token& stop) {
    // A child that reads no further is its own business: no SIGPIPE for us.
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
    const std::stop_callback wake_up(stop, [this] { ::eventfd_write(wake_.get(), 1); });

    std::vector<char> chunk(kChunk);
    while (!stop.stop_requested()) {
      auto got = reader_.read(chunk);
      if (!got) {
        // The pipe stays open: to the child a closed one would be the regular end.
        watchdog_.end(std::move(got).error().with_context("its input"));
        return;
      }
      if (*got == 0 || !write_all({chunk.data(), *got}, stop)) {
        break;
      }
    }
    pipe_.reset();
  }

  bool write_all(std::string_view bytes, const std::stop_token& stop) const {
    while (!bytes.empty() && !stop.stop_requested()) {
      const ssize_t put = ::write(pipe_.get(), bytes.data(), bytes.size());
      if (put >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(put));
      } else if (errno == EAGAIN) {
        std::array<pollfd, 2> events{pollfd{.fd = pipe_.get(), .events = POLLOUT, .revents = 0},
                                     pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
        ::poll(events.data(), events.size(), -1);
      } else if (errno != EINTR) {
        return false;
      }
    }
    return true;
  }

  Reader& reader_;
  Descriptor pipe_;
  const Descriptor wake_;
  Watchdog& watchdog_;
  std::jthread thread_;  // last: it uses all of the above
};

// One stream of output, from our end of the pipe to its collector.
class OutputPipe {
 public:
  OutputPipe(Descriptor pipe, OutputCollector collector) : pipe_(std::move(pipe)), collector_(std::move(collector)) {}

  int descriptor() const { return pipe_.get(); }  // -1, which poll() passes over, once it is closed

  // Takes what is there, `most` bytes or a little more; false when the collector has had too much.
  bool take(std::size_t most) {
    bool fits = true;
    for (std::size_t taken = 0; pipe_ && taken < most;) {
      const ssize_t got = ::read(pipe_.get(), chunk_.data(), chunk_.size());
      if (got > 0) {
        taken += static_cast<std::size_t>(got);
        fits = collector_.add({chunk_.data(), static_cast<std::size_t>(got)}) && fits;
      } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        pipe_.reset();
      } else if (errno == EAGAIN) {
        break;
      }
    }
    return fits;
  }

  // Takes what the child left. What others that hold the pipe may write from now on is not waited for.
  bool take_rest() {
    int left = 0;
    if (!pipe_ || ::ioctl(pipe_.get(), FIONREAD, &left) != 0) {
      return true;
    }
    return take(static_cast<std::size_t>(left));
  }

  std::string finish() { return collector_.finish(); }

 private:
  Descriptor pipe_;
  OutputCollector collector_;
  std::vector<char> chunk_ = std::vector<char>(kChunk);
};

// Says when it is time for the next tick.
class Ticker {
 public:
  Ticker(const Clock& clock, const ProcessSpec& spec, int pid)
      : clock_(clock), spec_(spec), pid_(pid), next_(clock.now() + spec.tick) {}

  // For poll(): until the next one; without end where nobody wants any.
  int milliseconds() const {
    if (!spec_.on_tick) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - clock_.now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kLongest));
  }
  void look() {
    if (!spec_.on_tick || clock_.now() < next_) return;
    spec_.on_tick(pid_);
    next_ = clock_.now() + spec_.tick;
  }

 private:
  static constexpr std::int64_t kLongest = 60'000;
  const Clock& clock_;
  const ProcessSpec& spec_;
  const int pid_;
  SteadyTime next_;
};

// Moves output until the child has ended.
void pump(const Descriptor& exited, OutputPipe& out, OutputPipe& err, Ticker ticker,
          const std::function<void()>& on_overflow) {
  const auto pollfd_for = [](int fd) { return pollfd{.fd = fd, .events = POLLIN, .revents = 0}; };
  while (true) {
    std::array<pollfd, 3> events{pollfd_for(exited.get()), pollfd_for(out.descriptor()), pollfd_for(err.descriptor())};
    if (::poll(events.data(), events.size(), ticker.milliseconds()) < 0) {
      continue;  // a signal
    }
    ticker.look();
    const bool ended = events[0].revents != 0;
    if (!(ended ? out.take_rest() : out.take(1))) {
      on_overflow();
    }
    ended ? err.take_rest() : err.take(1);
    if (ended) {
      return;
    }
  }
}

class SystemProcessRunner final : public ProcessRunner {
 public:
  explicit SystemProcessRunner(Clock& clock) : clock_(clock) {}

  Result<ProcessResult> run(const ProcessSpec& spec, const std::stop_token& stop) override {
    const std::string name = "run " + quote(spec.argv.empty() ? "" : spec.argv.front());
    if (stop.stop_requested()) {
      return fail(Code::kCancelled, name + ": stopped before it began");
    }
    Descriptor wake(::eventfd(0, EFD_CLOEXEC));
    if (!wake) {
      return tl::unexpected(errno_error(name, errno));
    }
    TRY_ASSIGN(Child child, name, spawn(spec));
    const pid_t pid = child.pid;
    ProcessResult result;
    std::optional<Error> why;
    try {
      why = supervise(spec, stop, std::move(child), std::move(wake), result);
    } catch (const std::system_error& error) {
      ::kill(-pid, SIGKILL);
      why = Error(Code::kInternal, std::string("start a thread: ") + error.what());
    }
    TRY(name, reap(pid, result));
    if (why) {
      return fail(name, *std::move(why));
    }
    return result;
  }

 private:
  // Until the child has ended. Returns why it had to, if it did not end by itself.
  std::optional<Error> supervise(const ProcessSpec& spec, const std::stop_token& stop, Child child, Descriptor wake,
                                 ProcessResult& result) {
    Watchdog watchdog(clock_, spec, child.pid, stop);
    std::optional<StringReader> bytes;
    std::optional<Feeder> feeder;
    if (const auto* text = std::get_if<std::string>(&spec.input)) {
      bytes.emplace(*text);
      feeder.emplace(*bytes, std::move(child.input), std::move(wake), watchdog);
    } else if (Reader* const* reader = std::get_if<Reader*>(&spec.input)) {
      feeder.emplace(**reader, std::move(child.input), std::move(wake), watchdog);
    }
    OutputPipe out(std::move(child.out),
                   {spec.on_stdout_line, spec.line_limit, OutputCollector::Keep::kAllOrFail, spec.stdout_limit});
    OutputPipe err(std::move(child.err),
                   {spec.on_stderr_line, spec.line_limit, OutputCollector::Keep::kLast, spec.stderr_limit});
    pump(child.exited, out, err, Ticker(clock_, spec, child.pid), [&] {
      watchdog.end(
          Error(Code::kTooLarge, "more than " + std::to_string(spec.stdout_limit) + " bytes of standard output"));
    });
    watchdog.exited();
    feeder.reset();
    std::optional<Error> why = watchdog.finish();
    result.out = out.finish();
    result.err = err.finish();
    return why;
  }

  Clock& clock_;
};

}  // namespace

std::string describe(const ProcessResult& result) {
  std::string text = "exit status " + std::to_string(result.exit_code);
  if (result.signal != 0) {
    const char* name = sigdescr_np(result.signal);
    text = "ended by signal " + std::to_string(result.signal) + " (" + (name != nullptr ? name : "unknown") + ")";
  }
  const std::string_view err = trim(result.err);
  if (const std::string_view last = trim(err.substr(err.rfind('\n') + 1)); !last.empty()) {
    text.append(": ").append(to_valid_utf8(last));
  }
  return text;
}

std::unique_ptr<ProcessRunner> make_system_process_runner(Clock& clock) {
  return std::make_unique<SystemProcessRunner>(clock);
}

}  // namespace landfall::io
