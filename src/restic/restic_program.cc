#include "restic/restic_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "io/file.h"
#include "io/temp_dir.h"
#include "restic/restic_errors.h"
#include "uploader_program/last_words.h"
#include "uploader_program/patience.h"
#include "uploader_program/program_access.h"

namespace landfall::restic {
namespace {

// The last words of restic, for an error: of JSON the message, of text the last lines.
class Said {
 public:
  void add(const Message& message, std::string_view line) {
    if (const auto* exit = std::get_if<ExitMessage>(&message)) {
      exit_ = exit->what;
    } else if (const auto* item = std::get_if<ItemMessage>(&message)) {
      first_problem(item->item.empty() ? item->what : item->item + ": " + item->what);
    } else if (const auto ignored = strip_prefix(line, "ignoring error for ")) {
      first_problem(std::string(*ignored));  // a restore before 0.17
    } else if (std::holds_alternative<OtherMessage>(message)) {
      words_.add(line);
    }
  }
  // Warnings may come first: what is fatal counts.
  std::string text() const {
    const std::string last = exit_.empty() ? words_.from_last("Fatal: ") : exit_;
    return item_.empty() ? last : std::string(trim(last)) + ": " + item_;
  }

 private:
  void first_problem(std::string what) {
    if (item_.empty()) item_ = std::move(what);
  }

  std::string exit_;
  std::string item_;
  uploader_program::LastWords words_;
};

// Ends a run that only tries again.
class Supervision {
 public:
  Supervision(const ResticOptions& options, const std::stop_token& stop, bool is_measured)
      : patience_(is_measured ? options.patience : kUnmeasured * options.patience, options.progress_interval),
        passed_on_(stop, Forward{&own_}) {}

  void hear(const Message& message) {
    if (const auto* retry = std::get_if<RetryMessage>(&message)) {
      patience_.complains(retry->what);
    } else if (const auto* status = std::get_if<StatusMessage>(&message); status != nullptr && status->done) {
      patience_.has_done(*status->done);
    }
  }
  void tick(std::optional<ByteCount> done) {
    if (done) patience_.has_done(*done);
    patience_.tick();
    if (patience_.lost()) own_.request_stop();
  }
  std::stop_token stop() const { return own_.get_token(); }
  const std::optional<std::string>& lost() const { return patience_.lost(); }

 private:
  // Of a run that does not say how far it is, an attempt that went well is not seen.
  static constexpr int kUnmeasured = 3;
  struct Forward {
    std::stop_source* to;
    void operator()() const { to->request_stop(); }
  };
  std::stop_source own_;
  uploader_program::Patience patience_;
  std::stop_callback<Forward> passed_on_;
};

}  // namespace

std::string address_of(const extension::RepositoryAccess& repository) {
  if (!repository.s3) return repository.path;
  return fmt::format("s3:{}/{}/{}", repository.s3->endpoint, repository.s3->bucket, repository.path);
}

Result<ResticVersion> ResticProgram::version(const std::stop_token& stop) {
  if (const auto known = version_.copy()) return *known;
  io::ProcessSpec spec;
  spec.argv = {options_.program, "version"};
  spec.env = {{"PATH", options_.path}};
  const auto ran = processes_.run(spec, stop);
  if (!ran && ran.error().code() == Code::kNotFound) {
    return fail(Code::kUnsupported,
                fmt::format("there is no program {}: install restic {} or newer where the node agent "
                            "and the server run",
                            options_.program, to_string(kOldest)));
  }
  if (!ran) return fail("", ran.error());
  if (!ran->succeeded()) return fail(Code::kInternal, options_.program + " version: " + io::describe(*ran));
  TRY_ASSIGN(const ResticVersion version, options_.program, parse_version(ran->out));
  version_.with([&](auto& known) { known = version; });
  return version;
}

io::ProcessSpec ResticProgram::spec_for(const extension::RepositoryAccess& repository, const Call& call,
                                        const std::string& ca_file) const {
  io::ProcessSpec spec;
  spec.argv = {options_.program, "--json"};
  if (options_.cache_directory.empty()) spec.argv.emplace_back("--no-cache");
  if (!ca_file.empty()) spec.argv.insert(spec.argv.end(), {"--cacert", ca_file});
  if (repository.skips_tls_verification) spec.argv.emplace_back("--insecure-tls");
  spec.argv.insert(spec.argv.end(), call.arguments.begin(), call.arguments.end());
  spec.env = uploader_program::storage_environment(repository);
  spec.env.merge(uploader_program::network_environment(options_.environment));
  spec.env["PATH"] = options_.path;
  spec.env["TMPDIR"] = options_.temporary_directory;
  spec.env["RESTIC_REPOSITORY"] = address_of(repository);
  spec.env["RESTIC_PASSWORD"] = repository.password;
  if (!options_.cache_directory.empty()) spec.env["RESTIC_CACHE_DIR"] = options_.cache_directory;
  const double seconds = std::chrono::duration<double>(options_.progress_interval).count();
  spec.env["RESTIC_PROGRESS_FPS"] = fmt::format("{:.3f}", seconds > 0 ? 1 / seconds : 1.0);
  spec.directory = call.directory;
  return spec;
}

Result<ResticProgram::Ran> ResticProgram::call(const extension::RepositoryAccess& repository, const Call& call,
                                               const std::stop_token& stop) {
  TRY("", version(stop));
  std::optional<io::TempDir> directory;
  std::string ca_file;
  if (!repository.ca_pem.empty()) {
    TRY_ASSIGN(io::TempDir made, "", io::TempDir::create(options_.temporary_directory));
    directory.emplace(std::move(made));
    ca_file = directory->path("ca.pem");
    TRY("", io::write_file(ca_file, repository.ca_pem, {.mode = 0600}));
  }
  io::ProcessSpec spec = spec_for(repository, call, ca_file);
  Said said;
  Supervision supervision(options_, stop, !call.captures_output);
  const auto hear = [&](std::string_view line) {
    const Message message = parse_message(line);
    said.add(message, line);
    supervision.hear(message);
    if (call.on_message) call.on_message(message);
  };
  spec.on_stderr_line = hear;
  if (!call.captures_output) spec.on_stdout_line = hear;
  constexpr std::size_t kMostOutput = 64UL << 20U;
  spec.stdout_limit = kMostOutput;
  spec.on_tick = [&](int pid) { supervision.tick(call.on_tick ? call.on_tick(pid) : std::nullopt); };
  spec.tick = options_.progress_interval;
  auto ran = processes_.run(spec, supervision.stop());
  if (supervision.lost() && !stop.stop_requested()) {
    return tl::unexpected(uploader_program::gave_up("restic", *supervision.lost()));
  }
  if (!ran) return fail("", std::move(ran).error());
  const bool is_good = ran->signal == 0 && std::ranges::find(call.good_exits, ran->exit_code) != call.good_exits.end();
  if (!is_good) {
    return tl::unexpected(error_of({.exit_code = ran->exit_code, .signal = ran->signal, .text = said.text()}));
  }
  return Ran{.exit_code = ran->exit_code, .out = std::move(ran->out)};
}

}  // namespace landfall::restic
