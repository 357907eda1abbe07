#include "kopia/kopia_uploader.h"

#include <fmt/format.h>

#include <algorithm>

#include "kopia/kopia_errors.h"
#include "kopia/kopia_output.h"
#include "kopia/links_aside.h"
#include "uploader_program/program_access.h"

namespace landfall::kopia {

using extension::DownloadRequest;
using extension::IfMissing;
using extension::RepositoryAccess;
using extension::UploadedVolume;
using extension::UploadRequest;

namespace {

tl::unexpected<Error> only_restores(std::string_view what) {
  return fail(Code::kUnsupported,
              fmt::format("kopia repositories are for restores only, they are not {}: use the uploader type restic "
                          "(--uploader-type restic) for new backups, and Velero for what is in this repository",
                          what));
}

// However it ends, the links come back.
Status restore_past_links(const KopiaConnection& connection, const KopiaConnection::Call& restore,
                          const std::stop_token& stop) {
  const auto run = [&]() -> Status {
    TRY("", take_links_aside(restore.directory, stop));
    TRY("", connection.call(restore, stop));
    return {};
  };
  Status restored = run();
  Status back = put_links_back(restore.directory);
  return restored ? back : restored;
}

}  // namespace

Status KopiaUploader::open(const RepositoryAccess& repository, IfMissing if_missing, const std::stop_token& stop) {
  const auto connection = KopiaConnection::open(options_, processes_, repository, stop);
  if (connection) return {};
  if (if_missing == IfMissing::kCreate && is_missing_repository(connection.error())) return only_restores("made");
  return fail("", connection.error());
}

Result<UploadedVolume> KopiaUploader::upload(const RepositoryAccess& /*repository*/, const UploadRequest& /*request*/,
                                             progress::ByteReporter& /*reporter*/, const std::stop_token& /*stop*/) {
  return only_restores("written");
}

Result<ByteCount> KopiaUploader::download(const RepositoryAccess& repository, const DownloadRequest& request,
                                          progress::ByteReporter& reporter, const std::stop_token& stop) {
  TRY("", uploader_program::check_snapshot(request.snapshot, "kopia"));
  TRY_ASSIGN(const KopiaConnection connection, "", KopiaConnection::open(options_, processes_, repository, stop));
  TRY_ASSIGN(const std::string manifest, "size of the snapshot",
             connection.call({.arguments = {"manifest", "show", request.snapshot}}, stop));
  TRY_ASSIGN(const ByteCount total, "size of the snapshot", parse_snapshot_size(manifest));
  reporter.total(total);
  const auto interval = std::chrono::duration_cast<std::chrono::milliseconds>(options_.progress_interval);
  KopiaConnection::Call restore{
      .arguments = {"restore", request.snapshot, ".", "--mode=local", "--progress",
                    fmt::format("--progress-update-interval={}ms", std::max<std::int64_t>(interval.count(), 1))},
      .directory = request.directory,
      .on_said = [&](std::string_view said) {
        if (const auto restored = parse_restored(said, total)) reporter.done(*restored);
      }};
  if (request.writes_sparse_files) restore.arguments.emplace_back("--write-sparse-files");
  TRY("restore", restore_past_links(connection, restore, stop));
  return total;
}

Status KopiaUploader::forget(const RepositoryAccess& /*repository*/, const std::vector<std::string>& /*snapshots*/,
                             const std::stop_token& /*stop*/) {
  return only_restores("cleared of snapshots");
}

Status KopiaUploader::maintain(const RepositoryAccess& /*repository*/, const std::stop_token& /*stop*/) {
  return only_restores("maintained");
}

}  // namespace landfall::kopia
