#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "extension/uploader.h"
#include "io/process.h"
#include "kopia/connection_directory.h"

namespace landfall::kopia {

struct KopiaOptions {
  std::string program = "kopia";                      // a path, or a name to be looked for
  std::string path = "/usr/local/bin:/usr/bin:/bin";  // where
  Environment environment;                            // of which it gets what leads to the storage
  std::string temporary_directory = "/tmp";           // for a cache of some hundred MiB while it runs
  Duration progress_interval = std::chrono::seconds(1);
};

// kopia, connected with a repository as Velero's user, for reading.
//
// What kopia keeps about a connection (a file with the keys of the bucket, caches) is in a directory of this connection
// alone, which only this user may read and which is gone at the end. Secrets are in the environment of the program,
// never in its arguments. One thread.
class KopiaConnection {
 public:
  // The runner must outlive it. kNotFound: no such repository. kUnsupported: no program, and what to install.
  static Result<KopiaConnection> open(const KopiaOptions& options, io::ProcessRunner& processes,
                                      const extension::RepositoryAccess& repository, const std::stop_token& stop);

  struct Call {
    std::vector<std::string> arguments;
    std::string directory;
    std::function<void(std::string_view said)> on_said;  // on standard error: lines, and what overwrites a line
  };
  // Returns its standard output.
  Result<std::string> call(const Call& call, const std::stop_token& stop) const;

 private:
  KopiaConnection(const KopiaOptions& options, io::ProcessRunner& processes, ConnectionDirectory directory,
                  const extension::RepositoryAccess& repository);
  Result<std::vector<std::string>> connect_arguments(const extension::RepositoryAccess& repository) const;

  io::ProcessRunner& processes_;
  std::string program_;
  ConnectionDirectory directory_;
  std::map<std::string, std::string> environment_;
};

}  // namespace landfall::kopia
