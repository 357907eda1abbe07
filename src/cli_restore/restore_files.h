#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "cli/context.h"
#include "io/descriptor.h"
#include "json/json_fwd.h"
#include "operation/results.h"
#include "restore/plan.h"
#include "restore/restore_run.h"

namespace landfall::cli {

// What `restore run` leaves on the user's machine: the log, written line by line, so that it can be read along; and, in
// a directory, the files that a server would have put into the bucket, by the same names.
class RestoreRunFiles {
 public:
  struct Places {
    std::string log_file;    // empty: in the directory, or else a temporary file
    std::string output_dir;  // empty: no files. Made if it is not there.
  };
  // An error names the file and says what is wrong with it. A log is never written over anything.
  static Result<RestoreRunFiles> open(const Places& places, const std::string& restore, const Context& context);

  Logger log() const { return log_; }
  const std::string& log_path() const { return log_path_; }

  Status save(const restore::Plan& plan) const;
  Status save(const restore::RestoreProduct& product, const json::Json& volume_infos) const;

 private:
  RestoreRunFiles(std::string restore, std::string directory, std::string log_path, io::Descriptor log_file,
                  const Context& context);

  std::string restore_;
  std::string directory_;
  std::string log_path_;
  io::Descriptor log_file_;
  Logger log_;
};

}  // namespace landfall::cli
