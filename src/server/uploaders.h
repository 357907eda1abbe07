#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "extension/uploader.h"
#include "io/process.h"
#include "kopia/kopia_uploader.h"
#include "restic/restic_uploader.h"

namespace landfall::server {

// The programs that move the files of volumes: a path, or a name to be looked for.
struct UploaderPrograms {
  std::string restic = "restic";
  std::string kopia = "kopia";
  std::string cache_directory;  // where they keep what they know of repositories; empty: nowhere
};

// All uploaders there are, for a server or a node agent.
class Uploaders {
 public:
  // Environment and processes are borrowed.
  Uploaders(const UploaderPrograms& programs, Duration progress_interval, const Environment& environment,
            io::ProcessRunner& processes);

  // The one that new backups are written with.
  extension::Uploader& writer() { return restic_; }
  std::vector<extension::Uploader*> all() { return {&restic_, &kopia_}; }

 private:
  restic::ResticUploader restic_;
  kopia::KopiaUploader kopia_;
};

}  // namespace landfall::server
