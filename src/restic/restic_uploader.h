#pragma once

#include "base/clock.h"
#include "extension/uploader.h"
#include "restic/restic_program.h"
#include "restic/restored_files.h"

namespace landfall::restic {

// Volumes in restic repositories, by the restic program. As Velero did it: the files of a volume are the root of a
// snapshot, its tags are `key=value`, its host is "velero".
class ResticUploader final : public extension::Uploader {
 public:
  // The runner must outlive it.
  ResticUploader(ResticOptions options, io::ProcessRunner& processes) : program_(std::move(options), processes) {}

  std::string_view type() const override { return "restic"; }
  std::string address(const extension::RepositoryAccess& repository) const override { return address_of(repository); }
  Status open(const extension::RepositoryAccess& repository, extension::IfMissing if_missing,
              const std::stop_token& stop) override;
  Result<extension::UploadedVolume> upload(const extension::RepositoryAccess& repository,
                                           const extension::UploadRequest& request, progress::ByteReporter& reporter,
                                           const std::stop_token& stop) override;
  Result<ByteCount> download(const extension::RepositoryAccess& repository, const extension::DownloadRequest& request,
                             progress::ByteReporter& reporter, const std::stop_token& stop) override;
  Status forget(const extension::RepositoryAccess& repository, const std::vector<std::string>& snapshots,
                const std::stop_token& stop) override;
  Status unlock(const extension::RepositoryAccess& repository, const std::stop_token& stop) override;
  Status maintain(const extension::RepositoryAccess& repository, const std::stop_token& stop) override;

 private:
  using Call = ResticProgram::Call;
  // Takes locks of dead processes away and tries again, once.
  Result<ResticProgram::Ran> call(const extension::RepositoryAccess& repository, const Call& call,
                                  const std::stop_token& stop);
  Result<extension::UploadedVolume> back_up(const extension::RepositoryAccess& repository,
                                            const extension::UploadRequest& request, progress::ByteReporter& reporter,
                                            const std::stop_token& stop);
  Result<RestoredFiles> files_of(const extension::RepositoryAccess& repository,
                                 const extension::DownloadRequest& request, const std::string& scratch,
                                 const std::stop_token& stop);
  Status make_way(const extension::RepositoryAccess& repository, const extension::DownloadRequest& request,
                  const std::stop_token& stop);
  Result<std::string> full_id(const extension::RepositoryAccess& repository, const std::string& id,
                              const std::stop_token& stop);
  Result<ByteCount> size_of(const extension::RepositoryAccess& repository, const std::string& snapshot,
                            const std::stop_token& stop);

  ResticProgram program_;
};

}  // namespace landfall::restic
