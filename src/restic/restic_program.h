#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/guarded.h"
#include "base/result.h"
#include "extension/uploader.h"
#include "io/process.h"
#include "restic/restic_messages.h"
#include "restic/restic_version.h"
#include "uploader_program/written_bytes.h"

namespace landfall::restic {

struct ResticOptions {
  std::string program = "restic";                     // a path, or a name to be looked for
  std::string path = "/usr/local/bin:/usr/bin:/bin";  // where
  Environment environment;                            // of which it gets what leads to the storage
  std::string cache_directory;                        // for indexes; empty: none is kept
  std::string temporary_directory = "/tmp";
  Duration progress_interval = std::chrono::seconds(1);
  // How long it may only try again when the repository cannot be reached. By itself restic does for 15 minutes.
  Duration patience = std::chrono::minutes(2);
  // How much a process has written; where the machine does not tell, the files are measured.
  std::function<std::optional<ByteCount>(int pid)> written_by = uploader_program::written_by;
};

// How restic writes the place: "s3:https://host/bucket/prefix/restic/shop", or a directory. Holds no secret.
std::string address_of(const extension::RepositoryAccess& repository);

// Runs restic. Secrets travel in its environment, never in its arguments. Thread-safe.
class ResticProgram {
 public:
  // Both must outlive it.
  ResticProgram(ResticOptions options, io::ProcessRunner& processes)
      : options_(std::move(options)), processes_(processes) {}

  // Asked once. kUnsupported says what to install.
  Result<ResticVersion> version(const std::stop_token& stop);

  struct Call {
    std::vector<std::string> arguments;  // --json and what opens the repository are added
    std::string directory;
    std::function<void(const Message& message)> on_message;
    // How far it is, where its messages do not tell.
    std::function<std::optional<ByteCount>(int pid)> on_tick;
    std::vector<int> good_exits = {0};
    bool captures_output = false;  // it goes to `out` instead of on_message
  };
  struct Ran {
    int exit_code = 0;
    std::string out;
  };
  // An exit that is not good is an error, with what restic said about it.
  Result<Ran> call(const extension::RepositoryAccess& repository, const Call& call, const std::stop_token& stop);
  const ResticOptions& options() const { return options_; }

 private:
  io::ProcessSpec spec_for(const extension::RepositoryAccess& repository, const Call& call,
                           const std::string& ca_file) const;

  const ResticOptions options_;
  io::ProcessRunner& processes_;
  Guarded<std::optional<ResticVersion>> version_;
};

}  // namespace landfall::restic
