#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli_admin/debug_redaction.h"
#include "io/file.h"
#include "io/gzip_writer.h"
#include "io/stream.h"
#include "io/tar_writer.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// A tar.gz of files without secrets, which appears under its name when it is whole, readable by its owner alone.
// Everything that is added passes the redaction: there is no other way in. What could not be collected is remembered.
// Parts of names that no file system takes (over 255 bytes) are shortened, and end in a digest.
class DebugBundle {
 public:
  struct Options {
    std::string path;
    bool replace = false;             // what has that name already; else it is kAlreadyExists, before anything is begun
    std::string temporary_directory;  // logs go there first
  };
  static Result<std::unique_ptr<DebugBundle>> create(const Options& options, Clock& clock);
  DebugBundle(io::FileWriter file, std::string temporary_directory, Clock& clock)
      : file_(std::move(file)), temporary_directory_(std::move(temporary_directory)), clock_(clock) {}

  // Errors are those of writing the bundle: there is no going on after one. `what` is for the list of contents.
  Status add_object(const std::string& name, json::Json object);
  Status add_text(const std::string& name, const std::string& what, std::string_view text);
  // What `produce` writes, however much. When it fails, what it wrote before stays, and the rest is missing.
  using Produce = std::function<Status(io::Writer& to)>;
  Status add_stream(const std::string& name, const std::string& what, const Produce& produce);

  void miss(const std::string& what, const Error& why);
  const std::vector<std::string>& missing() const { return missing_; }

  // Writes the README and puts the bundle in its place.
  Status close(const std::string& introduction);

 private:
  WallTime now() const;
  Status put(const std::string& name, std::string_view content);
  // Redacted.
  Status put_text(const std::string& name, std::string_view text);

  const Redaction redaction_;
  io::FileWriter file_;
  const std::string temporary_directory_;
  Clock& clock_;
  io::GzipWriter gzip_{file_};
  io::TarWriter tar_{gzip_};
  std::vector<std::string> contents_;
  std::vector<std::string> missing_;
};

}  // namespace landfall::cli
