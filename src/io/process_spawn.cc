#include "io/process_spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace landfall::io {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kFirstFreeDescriptor = 3;

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// A program may have been started with standard streams closed: their numbers are where the child's streams go, so ours
// stay above them.
Result<Descriptor> above_standard(int fd) {
  if (fd >= kFirstFreeDescriptor) {
    return Descriptor(fd);
  }
  const Descriptor low(fd);
  Descriptor high(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeDescriptor));
  if (!high) {
    return tl::unexpected(errno_error("pipe", errno));
  }
  return high;
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return tl::unexpected(errno_error("pipe", errno));
  }
  auto read_end = above_standard(ends[0]);
  auto write_end = above_standard(ends[1]);
  if (!read_end || !write_end) {
    return fail("", std::move(read_end ? write_end : read_end).error());
  }
  return Pipe{*std::move(read_end), *std::move(write_end)};
}

// Only our end: the two ends have separate flags.
void make_non_blocking(const Descriptor& end) { ::fcntl(end.get(), F_SETFL, O_NONBLOCK); }

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

Status check_spec(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty()) {
    return fail(Code::kInvalid, "no program to run");
  }
  if (has_nul(spec.directory) || std::ranges::any_of(spec.argv, has_nul)) {
    return fail(Code::kInvalid, "a NUL byte in an argument or the directory");
  }
  for (const auto& [name, value] : spec.env) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value)) {
      return fail(Code::kInvalid, "an environment variable that has no name, an '=' in its name or a NUL byte");
    }
  }
  if (!spec.directory.empty()) {
    struct stat info{};
    if (::stat(spec.directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      return fail(Code::kNotFound, "no such directory: " + spec.directory);
    }
  }
  return {};
}

Result<std::string> find_program(const ProcessSpec& spec) {
  const std::string& program = spec.argv.front();
  if (program.find('/') != std::string::npos) {
    return program;
  }
  const auto found = spec.env.find("PATH");
  std::string_view path = found == spec.env.end() ? kDefaultPath : std::string_view(found->second);
  bool forbidden = false;
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    std::string candidate(path.substr(0, colon));
    candidate.append("/").append(program);
    path.remove_prefix(std::min(colon + 1, path.size()));
    struct stat info{};
    // A relative entry would make what runs depend on where we stand.
    if (!candidate.starts_with('/') || ::stat(candidate.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      continue;
    }
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    forbidden = true;
  }
  if (forbidden) {
    return fail(Code::kForbidden, "the program is in the PATH but may not be executed");
  }
  return fail(Code::kNotFound, "no such program in the PATH");
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

// What a program is started with; all of it is ready before, so that nothing has to be made in between.
struct Start {
  const char* program = nullptr;
  const char* directory = nullptr;  // none: as here
  char** arguments = nullptr;
  char** variables = nullptr;
  int input = -1;  // -1: nothing
  int out = -1;
  int err = -1;
};

tl::unexpected<Error> start_failure(int error) {
  if (error == ENOENT) return fail(Code::kNotFound, "no such program, or no such interpreter as its first line names");
  if (error == ENOEXEC) return fail(Code::kInvalid, "not a program for this machine");
  return tl::unexpected(errno_error("start", error));
}

// In the child, where only what is safe in a signal handler may be called.
[[noreturn]] void become(const Start& start, pid_t parent, int failures) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool is_ready = ::getppid() == parent;  // else it has died before
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  const int input = start.input < 0 ? ::open("/dev/null", O_RDONLY) : start.input;
  is_ready = is_ready && input >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(start.out, STDOUT_FILENO) >= 0 &&
             ::dup2(start.err, STDERR_FILENO) >= 0;
  is_ready = is_ready && (start.directory == nullptr || ::chdir(start.directory) == 0);
  ::close_range(kFirstFreeDescriptor, ~0U, CLOSE_RANGE_CLOEXEC);
  if (is_ready) ::execve(start.program, start.arguments, start.variables);
  const int error = errno;
  const bool is_told = ::write(failures, &error, sizeof error) == sizeof error;
  ::_exit(is_told ? 127 : 126);
}

// Nothing that is started outlives this process: a successor may begin with the same work. posix_spawn() cannot do
// that. (The kernel means the thread that starts it, which is the one that waits for its end.)
Result<pid_t> fork_program(const Start& start) {
  TRY_ASSIGN(Pipe failures, "", make_pipe());
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return tl::unexpected(errno_error("start", errno));
  if (pid == 0) become(start, parent, failures.write_end.get());
  failures.write_end.reset();
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(failures.read_end.get(), &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return pid;  // closed by the program that runs now
  ::waitpid(pid, nullptr, 0);
  return start_failure(error);
}

Result<pid_t> start(const ProcessSpec& spec, const std::string& program, Start how) {
  std::vector<std::string> arguments = spec.argv;
  std::vector<std::string> variables;
  variables.reserve(spec.env.size());
  for (const auto& [name, value] : spec.env) {
    variables.emplace_back(name).append("=").append(value);
  }
  std::vector<char*> argument_pointers = pointers(arguments);
  std::vector<char*> variable_pointers = pointers(variables);
  how.program = program.c_str();
  how.directory = spec.directory.empty() ? nullptr : spec.directory.c_str();
  how.arguments = argument_pointers.data();
  how.variables = variable_pointers.data();
  return fork_program(how);
}

// glibc 2.36 declares pidfd_open() without C linkage.
Descriptor open_process(pid_t pid) { return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

}  // namespace

Result<Child> spawn(const ProcessSpec& spec) {
  TRY("", check_spec(spec));
  TRY_ASSIGN(const std::string program, "", find_program(spec));
  TRY_ASSIGN(Pipe out, "", make_pipe());
  TRY_ASSIGN(Pipe err, "", make_pipe());
  Pipe input;
  Start how{.out = out.write_end.get(), .err = err.write_end.get()};
  if (!std::holds_alternative<std::monostate>(spec.input)) {
    TRY_ASSIGN(input, "", make_pipe());
    how.input = input.read_end.get();
    make_non_blocking(input.write_end);
  }
  make_non_blocking(out.read_end);
  make_non_blocking(err.read_end);

  Child child;
  TRY_ASSIGN(child.pid, "", start(spec, program, how));
  child.exited = open_process(child.pid);
  if (!child.exited) {
    const int error = errno;
    ProcessResult unused;
    ::kill(-child.pid, SIGKILL);
    static_cast<void>(reap(child.pid, unused));
    return tl::unexpected(errno_error("watch", error));
  }
  child.input = std::move(input.write_end);
  child.out = std::move(out.read_end);
  child.err = std::move(err.read_end);
  return child;
}

Status reap(pid_t pid, ProcessResult& result) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0) {
    if (errno != EINTR) {
      // Somebody else collects our children, or ignores SIGCHLD: the status is lost.
      return tl::unexpected(errno_error("collect the exit status", errno));
    }
  }
  if (info.si_code == CLD_EXITED) {
    result.exit_code = info.si_status;
  } else {
    result.signal = info.si_status;
  }
  return {};
}

}  // namespace landfall::io
