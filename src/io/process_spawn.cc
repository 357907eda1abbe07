#include "io/process_spawn.h"

#include <fcntl.h>
#include <spawn.h>
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

class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

  void give(const Descriptor& ours, int theirs) { posix_spawn_file_actions_adddup2(&actions_, ours.get(), theirs); }
  void give_nothing(int theirs) { posix_spawn_file_actions_addopen(&actions_, theirs, "/dev/null", O_RDONLY, 0); }
  // Every descriptor here is O_CLOEXEC, but a library may open one that is not.
  void close_others() { posix_spawn_file_actions_addclosefrom_np(&actions_, kFirstFreeDescriptor); }
  void go_to(const std::string& directory) { posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Result<pid_t> start(const ProcessSpec& spec, const std::string& program, const SpawnActions& actions) {
  std::vector<std::string> arguments = spec.argv;
  std::vector<std::string> variables;
  variables.reserve(spec.env.size());
  for (const auto& [name, value] : spec.env) {
    variables.emplace_back(name).append("=").append(value);
  }
  const SpawnAttributes attributes;
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), pointers(arguments).data(),
                                  pointers(variables).data());
  if (error == ENOENT) {
    return fail(Code::kNotFound, "no such program, or no such interpreter as its first line names");
  }
  if (error == ENOEXEC) {
    return fail(Code::kInvalid, "not a program for this machine");
  }
  if (error != 0) {
    return tl::unexpected(errno_error("start", error));
  }
  return pid;
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
  SpawnActions actions;
  if (std::holds_alternative<std::monostate>(spec.input)) {
    actions.give_nothing(STDIN_FILENO);
  } else {
    TRY_ASSIGN(input, "", make_pipe());
    actions.give(input.read_end, STDIN_FILENO);
    make_non_blocking(input.write_end);
  }
  actions.give(out.write_end, STDOUT_FILENO);
  actions.give(err.write_end, STDERR_FILENO);
  if (!spec.directory.empty()) {
    actions.go_to(spec.directory);
  }
  actions.close_others();
  make_non_blocking(out.read_end);
  make_non_blocking(err.read_end);

  Child child;
  TRY_ASSIGN(child.pid, "", start(spec, program, actions));
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
