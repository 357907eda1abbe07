#include "cli_restore/restore_files.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/random.h"
#include "bucket/artifact.h"
#include "bucket/layout.h"
#include "cli/temporary_directory.h"
#include "cli_restore/restore_source.h"
#include "io/file.h"
#include "io/gzip_writer.h"
#include "io/log_sink.h"
#include "json/json.h"
#include "restore/plan_document.h"

namespace landfall::cli {

using bucket::RestoreArtifact;

namespace {

constexpr mode_t kOwnerOnly = 0600;

// One that the user has named may be there: a second try goes on in it. Any other is new: of somebody else's making it
// could be a link to a file that matters.
Result<io::Descriptor> open_log(const std::string& path, bool may_be_there) {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (may_be_there ? 0 : O_EXCL);
  io::Descriptor file(::open(path.c_str(), flags, kOwnerOnly));  // NOLINT(cppcoreguidelines-pro-type-vararg): POSIX
  if (!file) return tl::unexpected<Error>(io::errno_error("log " + path, errno));
  return file;
}

// The same names as in the bucket.
Result<std::string> file_of(const std::string& directory, const std::string& restore, RestoreArtifact artifact) {
  TRY_ASSIGN(const bucket::Layout layout, "", bucket::Layout::create(""));
  TRY_ASSIGN(const bucket::RestoreFolder folder, "", layout.restore(restore));
  return directory + "/" + folder.file(artifact);
}

}  // namespace

RestoreRunFiles::RestoreRunFiles(std::string restore, std::string directory, std::string log_path,
                                 io::Descriptor log_file, const Context& context)
    : restore_(std::move(restore)),
      directory_(std::move(directory)),
      log_path_(std::move(log_path)),
      log_file_(std::move(log_file)),
      log_(context.clock, std::make_shared<io::LineLogSink>(log_file_.get(), io::LogFormat::kText)) {}

Result<RestoreRunFiles> RestoreRunFiles::open(const Places& places, const std::string& restore,
                                              const Context& context) {
  if (!places.output_dir.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(places.output_dir, problem);
    if (problem) return fail(Code::kInvalid, "--output-dir " + places.output_dir + ": " + problem.message());
  }
  std::string path = places.log_file;
  if (path.empty()) {
    path = places.output_dir.empty() ? temporary_directory(context) + "/landfall-restore-" + restore + "-" +
                                           name_suffix(system_random()) + ".log"
                                     : places.output_dir + "/restore-" + restore + ".log";
  }
  TRY_ASSIGN(io::Descriptor file, "", open_log(path, !places.log_file.empty() || !places.output_dir.empty()));
  return RestoreRunFiles(restore, places.output_dir, std::move(path), std::move(file), context);
}

Status RestoreRunFiles::save(const restore::Plan& plan) const {
  if (directory_.empty()) return {};
  TRY_ASSIGN(const std::string path, "", file_of(directory_, restore_, RestoreArtifact::kPlan));
  TRY_ASSIGN(io::FileWriter file, "", io::FileWriter::create(path));
  io::GzipWriter gzip(file);
  TRY(path, restore::write_plan(plan, gzip));
  TRY(path, gzip.close());
  return file.close();
}

Status RestoreRunFiles::save(const restore::RestoreProduct& product, const json::Json& volume_infos) const {
  if (directory_.empty()) return {};
  TRY_ASSIGN(const std::string volumes, "", file_of(directory_, restore_, RestoreArtifact::kVolumeInfos));
  TRY("", io::write_file(volumes, bucket::encode(volume_infos, bucket::Form::kGzipJson)));
  TRY_ASSIGN(const std::string results, "", file_of(directory_, restore_, RestoreArtifact::kResults));
  TRY("", io::write_file(results, bucket::encode(product.results.to_json(), bucket::Form::kGzipJson)));
  TRY_ASSIGN(const std::string list, "", file_of(directory_, restore_, RestoreArtifact::kResourceList));
  TRY_ASSIGN(io::FileWriter file, "", io::FileWriter::create(list));
  io::SpoolReader bytes = product.resource_list.reader(0, product.resource_list.size());
  TRY(list, io::copy(bytes, file));
  return file.close();
}

}  // namespace landfall::cli
