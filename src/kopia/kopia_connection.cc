#include "kopia/kopia_connection.h"

#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "io/file.h"
#include "io/url.h"
#include "kopia/kopia_errors.h"
#include "kopia/kopia_output.h"
#include "uploader_program/last_words.h"
#include "uploader_program/program_access.h"

namespace landfall::kopia {
namespace {

using extension::RepositoryAccess;

// Where Velero's kopia has its repository: a folder, whose name ends with a slash.
Result<std::vector<std::string>> bucket_arguments(const RepositoryAccess& repository) {
  TRY_ASSIGN(const io::Url url, "address of the bucket", io::parse_url(repository.s3->endpoint));
  if (!url.path.empty() && url.path != "/") {
    return fail(Code::kUnsupported, "kopia takes no address of a bucket with a path: " + io::redacted(url));
  }
  std::vector<std::string> arguments = {"s3", "--bucket=" + repository.s3->bucket, "--endpoint=" + io::authority(url),
                                        "--prefix=" + repository.path + "/"};
  if (!repository.s3->region.empty()) arguments.push_back("--region=" + repository.s3->region);
  if (url.scheme == "http") arguments.emplace_back("--disable-tls");
  if (repository.skips_tls_verification) arguments.emplace_back("--disable-tls-verification");
  return arguments;
}

// What it says on standard error: for whoever listens, and for an error.
class Ear {
 public:
  explicit Ear(const std::function<void(std::string_view)>& on_said) : on_said_(on_said) {}

  void hear(std::string_view line) {
    for (const std::string_view said : split(line, '\r')) {
      if (said.starts_with("panic: ") && panic_.empty()) panic_ = said;
      words_.add(without_progress(said));
      if (on_said_) on_said_(said);
    }
  }
  // The error is the last line; of a crash the first one says more than the many that follow.
  std::string text() const {
    if (!panic_.empty()) return panic_;
    const std::string_view all = trim(words_.text());
    return std::string(all.substr(all.rfind('\n') + 1));
  }

 private:
  const std::function<void(std::string_view)>& on_said_;
  uploader_program::LastWords words_;
  std::string panic_;
};

}  // namespace

KopiaConnection::KopiaConnection(const KopiaOptions& options, io::ProcessRunner& processes,
                                 ConnectionDirectory directory, const RepositoryAccess& repository)
    : processes_(processes),
      program_(options.program),
      directory_(std::move(directory)),
      environment_(uploader_program::storage_environment(repository)) {
  environment_.merge(uploader_program::network_environment(options.environment));
  environment_.merge(std::map<std::string, std::string>{
      {"PATH", options.path},
      {"HOME", directory_.path()},
      {"TMPDIR", directory_.path()},
      {"KOPIA_PASSWORD", repository.password},
      {"KOPIA_PERSIST_CREDENTIALS_ON_CONNECT", "false"},
      {"KOPIA_CONFIG_PATH", directory_.path("repository.config")},
      {"KOPIA_CACHE_DIRECTORY", directory_.path("cache")},
      {"KOPIA_CHECK_FOR_UPDATES", "false"},
      {"KOPIA_SEND_ERROR_NOTIFICATIONS", "never"},  // a repository may name somebody to be told
      {"KOPIA_DISABLE_COLOR", "true"},
  });
}

Result<std::vector<std::string>> KopiaConnection::connect_arguments(const RepositoryAccess& repository) const {
  std::vector<std::string> place = {"filesystem", "--path=" + repository.path};
  if (repository.s3) {
    TRY_ASSIGN(place, "", bucket_arguments(repository));
  }
  if (repository.s3 && !repository.ca_pem.empty()) {
    const std::string file = directory_.path("ca.pem");
    TRY("", io::write_file(file, repository.ca_pem, {.mode = 0600}));
    place.push_back("--root-ca-pem-path=" + file);
  }
  std::vector<std::string> arguments = {"repository", "connect"};
  arguments.insert(arguments.end(), place.begin(), place.end());
  // Data goes through the cache once: without one kopia 0.22 crashes, and by default it may hold 5 GB.
  arguments.insert(arguments.end(), {"--override-username=default", "--override-hostname=default", "--readonly",
                                     "--content-cache-size-mb=32", "--content-cache-size-limit-mb=64",
                                     "--metadata-cache-size-mb=256", "--metadata-cache-size-limit-mb=512"});
  return arguments;
}

Result<KopiaConnection> KopiaConnection::open(const KopiaOptions& options, io::ProcessRunner& processes,
                                              const RepositoryAccess& repository, const std::stop_token& stop) {
  if (trim(repository.password).empty()) {
    return fail(Code::kUnauthenticated, "the password of the repository is empty (Secret velero-repo-credentials)");
  }
  TRY_ASSIGN(ConnectionDirectory directory, "", ConnectionDirectory::create(options.temporary_directory));
  KopiaConnection connection(options, processes, std::move(directory), repository);
  TRY_ASSIGN(const std::vector<std::string> arguments, "", connection.connect_arguments(repository));
  TRY("open the repository", connection.call({.arguments = arguments}, stop));
  return connection;
}

Result<std::string> KopiaConnection::call(const Call& call, const std::stop_token& stop) const {
  io::ProcessSpec spec;
  spec.argv = {program_, "--disable-file-logging"};
  spec.argv.insert(spec.argv.end(), call.arguments.begin(), call.arguments.end());
  spec.env = environment_;
  spec.directory = call.directory;
  Ear ear(call.on_said);
  spec.on_stderr_line = [&](std::string_view line) { ear.hear(line); };
  spec.grace = std::chrono::seconds(5);
  auto ran = processes_.run(spec, stop);
  if (!ran && ran.error().code() == Code::kNotFound && call.directory.empty()) {
    return fail(Code::kUnsupported,
                fmt::format("there is no program {}: volumes that Velero's kopia has stored need it; "
                            "install kopia 0.22 or newer in the image of the node agent",
                            program_));
  }
  if (!ran) return fail("", std::move(ran).error());
  if (!ran->succeeded()) {
    return tl::unexpected(error_of({.exit_code = ran->exit_code, .signal = ran->signal, .text = ear.text()}));
  }
  return std::move(ran->out);
}

}  // namespace landfall::kopia
