#include "plugin_local/worker.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "io/descriptor.h"
#include "plugin_local/progress_reporter.h"
#include "plugin_local/snapshot_work.h"
#include "plugin_local/task_lock.h"
#include "plugin_local/task_meter.h"
#include "plugin_local/volume_work.h"

namespace landfall::plugin_local {
namespace {

constexpr char kAtWork = 'w';
constexpr char kTaken = 't';

struct Order {
  Layout layout;
  TaskKind kind = TaskKind::kSnapshot;
  std::string id;
};

Result<Order> parse(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3) return fail(Code::kInvalid, "worker: needs a directory, snapshot or volume, and an ID");
  TRY("worker", check_path(arguments[0]));
  if (arguments[1] != "snapshot" && arguments[1] != "volume") {
    return fail(Code::kInvalid, "worker: snapshot or volume, not " + arguments[1]);
  }
  TRY("worker", check_id(arguments[2]));
  return Order{.layout = Layout(arguments[0]),
               .kind = arguments[1] == "snapshot" ? TaskKind::kSnapshot : TaskKind::kVolume,
               .id = arguments[2]};
}

Status work(const Layout& layout, Task& task, TaskMeter& meter) {
  return task.kind == TaskKind::kSnapshot ? copy_snapshot(layout, task, meter) : fill_volume(layout, task, meter);
}

Status discard(const Layout& layout, const Task& task) {
  return task.kind == TaskKind::kSnapshot ? discard_snapshot(layout, task) : discard_volume(task);
}

// What is left of a task that did not end well is removed before anything is written: the disk may be full.
void settle(const Layout& layout, Task& task, const Status& done) {
  if (done) {
    task.phase = kCompleted;
    return;
  }
  task.phase = done.error().code() == Code::kCancelled ? kCanceled : kFailed;
  task.message = done.error().message();
  const Status discarded = discard(layout, task);
  if (!discarded) task.message += "; what was copied is still there: " + discarded.error().message();
}

// Nobody reads what it says, and no pipe of the one who started it may be kept open.
void leave_streams() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);  // NOLINT(*-vararg): it is how it is
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

// In the process that stays.
[[noreturn]] void stay(const Order& order, const io::Descriptor& told, const Environment& environment, Clock& clock) {
  ::setsid();
  static_cast<void>(::chdir("/") == 0);  // what it was started in may be unmounted
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  auto lock = TaskLock::take(order.layout.folder(order.kind, order.id));
  if (!lock) {
    static_cast<void>(io::write_descriptor(STDERR_FILENO, lock.error().message() + "\n"));
    std::_Exit(1);
  }
  const char word = lock->has_value() ? kAtWork : kTaken;
  leave_streams();
  static_cast<void>(io::write_descriptor(told.get(), std::string_view(&word, 1)));
  if (!lock->has_value()) std::_Exit(0);
  ::close(told.get());
  const Status done = do_task(order.layout, order.kind, order.id, environment, clock);
  std::_Exit(done ? 0 : 1);
}

}  // namespace

std::vector<std::string> worker_arguments(const Layout& layout, TaskKind kind, const std::string& id) {
  return {"worker", layout.directory(), kind == TaskKind::kSnapshot ? "snapshot" : "volume", id};
}

Status do_task(const Layout& layout, TaskKind kind, const std::string& id, const Environment& environment,
               Clock& clock) {
  TRY_ASSIGN(Task task, "", load_task(layout, kind, id));
  if (!task.is_final()) {
    task.phase = kInProgress;
    if (!task.started) task.started = clock.wall_now();
    TRY("", save_task(layout, task));
  }
  TaskMeter meter(layout, task, clock, {});
  ProgressReporter reporter(layout, task, meter, environment, clock);
  if (!task.is_final()) {
    reporter.start();
    const Status done = work(layout, task, meter);
    reporter.stop();
    meter.flush();
    task.counts = done ? meter.counts() : meter.shown();
    settle(layout, task, done);
    task.completed = clock.wall_now();
    TRY("", save_task(layout, task));
  }
  task.is_reported = reporter.report_end(task);
  return save_task(layout, task);
}

int run_worker(const std::vector<std::string>& arguments, const Environment& environment, Clock& clock) {
  const auto complain = [](const std::string& what) {
    static_cast<void>(io::write_descriptor(STDERR_FILENO, what + "\n"));
    return 1;
  };
  const auto order = parse(arguments);
  if (!order) return complain(order.error().message());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return complain(io::errno_error("worker: pipe", errno).message());
  const io::Descriptor heard(ends[0]);
  io::Descriptor told(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return complain(io::errno_error("worker: fork", errno).message());
  if (pid == 0) stay(*order, told, environment, clock);
  told.reset();
  std::array<char, 1> word{};
  const auto size = io::read_descriptor(heard.get(), word);
  return size && *size == 1 ? 0 : 1;
}

}  // namespace landfall::plugin_local
