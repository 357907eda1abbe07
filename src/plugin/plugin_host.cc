#include "plugin/plugin_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "k8s/names.h"
#include "plugin/call.h"
#include "plugin/plugin_process.h"
#include "plugin/plugin_session.h"
#include "plugin/socket_home.h"

namespace landfall::plugin {
namespace {

namespace fs = std::filesystem;

constexpr int kMostOfOne = 1000;
constexpr std::size_t kLongestName = 512;
constexpr int kDeepest = 32;
constexpr std::size_t kAtATime = 8;
constexpr std::array kKinds{kind::kObjectStore,        kind::kVolumeSnapshotter, kind::kBackupItemAction,
                            kind::kBackupItemActionV2, kind::kRestoreItemAction, kind::kRestoreItemActionV2,
                            kind::kDeleteItemAction,   kind::kItemBlockAction};

std::string shown(std::string_view text) { return quote(to_valid_utf8(text.substr(0, kLongestName))); }

bool is_name(std::string_view name) {
  const auto parts = cut(name, '/');
  return parts && name.size() <= kLongestName && !parts->second.empty() && !contains(parts->second, "/") &&
         is_valid_utf8(name) && k8s::dns1123_subdomain_problems(parts->first).empty();
}

// One look at a directory of plugins.
class Discovery {
 public:
  Discovery(std::shared_ptr<const HostOptions> options, std::shared_ptr<SocketHome> sockets, Clock& clock,
            io::ProcessRunner& processes, const Logger& log, const std::stop_token& stop)
      : options_(std::move(options)),
        sockets_(std::move(sockets)),
        clock_(clock),
        processes_(processes),
        log_(log),
        stop_(stop) {}

  Registry look(const std::string& directory) {
    std::error_code error;
    if (!fs::exists(directory, error)) return {};
    std::vector<std::string> programs;
    scan(directory, 0, programs);
    const std::vector<Answer> answers = ask_all(programs);
    for (std::size_t i = 0; i < programs.size(); ++i) take(programs[i], answers[i]);
    return std::move(registry_);
  }

 private:
  // In the order of names, and not through links to directories, as Velero does.
  void scan(const fs::path& directory, int depth, std::vector<std::string>& programs) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (auto at = fs::directory_iterator(directory, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
      entries.push_back(*at);
    }
    if (error) return warn(directory.string(), error.message());
    std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) { return entry.path().filename().string(); });
    for (const fs::directory_entry& entry : entries) {
      const std::string path = entry.path().string();
      if (entry.is_directory(error) && !entry.is_symlink(error)) {
        if (depth < kDeepest) scan(entry.path(), depth + 1, programs);
      } else if (!entry.is_regular_file(error)) {
        warn(path, "not a file");
      } else if ((entry.status(error).permissions() &
                  (fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec)) == fs::perms::none) {
        warn(path, "not executable");
      } else {
        programs.push_back(path);
      }
    }
  }

  using Answer = Result<generated::ListPluginsResponse>;

  // Some at a time: a program that does not answer holds up itself alone.
  std::vector<Answer> ask_all(const std::vector<std::string>& programs) {
    std::vector<Answer> answers(programs.size(), fail(Code::kCancelled, "stopped"));
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < programs.size() && !stop_.stop_requested(); i = next++) {
        answers[i] = ask(programs[i]);
      }
    };
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(kAtATime, programs.size()); ++i) others.emplace_back(work);
    work();
    others.clear();
    return answers;
  }

  Answer ask(const std::string& program) {
    auto process = PluginProcess::start({.command = program,
                                         .has_credentials = false,
                                         .options = options_,
                                         .sockets = sockets_,
                                         .clock = clock_,
                                         .processes = processes_,
                                         .log = log_},
                                        stop_);
    if (!process) return tl::unexpected<Error>(process.error());
    return call_process(**process, {program, "ListPlugins"}, &Stubs::lister,
                        &generated::PluginLister::Stub::ListPlugins, generated::Empty(), stop_,
                        options_->first_call_limit);
  }

  void take(const std::string& program, const Answer& answer) {
    if (!answer && stop_.stop_requested()) return;
    if (!answer) return warn(program, answer.error().message());
    if (answer->plugins_size() > kMostOfOne) return warn(program, "it says that it is more than a thousand plugins");
    // What a plugin calls its own command is not what we run: the file that was found is.
    for (const auto& one : answer->plugins()) add({.kind = one.kind(), .name = one.name(), .command = program});
  }

  void add(PluginId id) {
    if (std::ranges::find(kKinds, id.kind) == kKinds.end()) {
      return warn(id.command, fmt::format("{} is of the unknown kind {}", shown(id.name), shown(id.kind)));
    }
    if (!is_name(id.name)) {
      return warn(id.command, fmt::format("{} is no name of a plugin (\"example.io/name\")", shown(id.name)));
    }
    if (const PluginId* const first = registry_.find(id.kind, id.name)) {
      return warn(id.command, fmt::format("{} {} is there already, in {}", id.kind, id.name, first->command));
    }
    log_.info("plugin found", {{"kind", id.kind}, {"name", id.name}, {"cmd", id.command}});
    registry_.plugins.push_back(std::move(id));
  }

  void warn(const std::string& path, const std::string& why) {
    log_.warning("not used as a plugin", {{"path", to_valid_utf8(path)}, {"reason", why}});
    registry_.warnings.push_back(fmt::format("{}: {}", to_valid_utf8(path), why));
  }

  const std::shared_ptr<const HostOptions> options_;
  const std::shared_ptr<SocketHome> sockets_;
  Clock& clock_;
  io::ProcessRunner& processes_;
  const Logger& log_;
  const std::stop_token& stop_;
  Registry registry_;
};

}  // namespace

const PluginId* Registry::find(std::string_view kind, std::string_view name) const {
  const auto found =
      std::ranges::find_if(plugins, [&](const PluginId& one) { return one.kind == kind && one.name == name; });
  return found == plugins.end() ? nullptr : &*found;
}

std::vector<std::string> Registry::names(std::string_view kind) const {
  std::vector<std::string> all;
  for (const PluginId& one : plugins) {
    if (one.kind == kind) all.push_back(one.name);
  }
  return all;
}

Host::Host(HostOptions options, Clock& clock, io::ProcessRunner& processes)
    : options_(std::make_shared<const HostOptions>(std::move(options))),
      sockets_(std::make_shared<SocketHome>(options_->temp_dir)),
      clock_(clock),
      processes_(processes) {}
Host::~Host() = default;

Registry Host::discover(const std::string& directory, const Logger& log, const std::stop_token& stop) const {
  return Discovery(options_, sockets_, clock_, processes_, log, stop).look(directory);
}

Session Host::session(const Registry& registry, const Logger& log) const {
  return Session(std::make_shared<Session::Core>(options_, sockets_, clock_, processes_, registry, log));
}

}  // namespace landfall::plugin
