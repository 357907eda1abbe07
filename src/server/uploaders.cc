#include "server/uploaders.h"

namespace landfall::server {

Uploaders::Uploaders(const UploaderPrograms& programs, Duration progress_interval, const Environment& environment,
                     io::ProcessRunner& processes)
    : restic_({.program = programs.restic,
               .path = environment.get_or("PATH", "/usr/local/bin:/usr/bin:/bin"),
               .environment = environment,
               .cache_directory = programs.cache_directory,
               .temporary_directory = environment.get_or("TMPDIR", "/tmp"),
               .progress_interval = progress_interval},
              processes),
      kopia_({.program = programs.kopia,
              .path = environment.get_or("PATH", "/usr/local/bin:/usr/bin:/bin"),
              .environment = environment,
              .temporary_directory = environment.get_or("TMPDIR", "/tmp"),
              .progress_interval = progress_interval},
             processes) {}

}  // namespace landfall::server
