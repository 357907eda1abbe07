#pragma once

#include <memory>
#include <string>

#include "api/download_target.h"
#include "cli/artifacts.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// A file that `describe` shows a part of: not asked for, not there, there, or what went wrong.
struct DescribedFile {
  bool is_wanted = false;
  std::shared_ptr<const json::Json> document;
  std::string error;

  bool is_missing() const { return is_wanted && !document && error.empty(); }
  // What is shown in place of its content; Velero's words where there is no such file.
  std::string why_not() const;
};

// Fetches the files of one Backup or Restore. A server that is silent once is not waited for again. Borrows.
class DescribedFiles {
 public:
  DescribedFiles(const Artifacts& artifacts, std::string name) : artifacts_(artifacts), name_(std::move(name)) {}

  DescribedFile fetch(api::DownloadTarget target);

 private:
  const Artifacts& artifacts_;
  const std::string name_;
  std::string silence_;
};

}  // namespace landfall::cli
