#pragma once

#include "extension/uploader.h"
#include "kopia/kopia_connection.h"

namespace landfall::kopia {

// Brings back volumes that Velero has stored with kopia, by the kopia program. It stores none: upload(), forget() and
// maintain() are kUnsupported.
class KopiaUploader final : public extension::Uploader {
 public:
  // The runner must outlive it.
  KopiaUploader(KopiaOptions options, io::ProcessRunner& processes)
      : options_(std::move(options)), processes_(processes) {}

  std::string_view type() const override { return "kopia"; }
  bool can_upload() const override { return false; }
  // A repository that is not there is not made: kUnsupported.
  Status open(const extension::RepositoryAccess& repository, extension::IfMissing if_missing,
              const std::stop_token& stop) override;
  Result<extension::UploadedVolume> upload(const extension::RepositoryAccess& repository,
                                           const extension::UploadRequest& request, progress::ByteReporter& reporter,
                                           const std::stop_token& stop) override;
  Result<ByteCount> download(const extension::RepositoryAccess& repository, const extension::DownloadRequest& request,
                             progress::ByteReporter& reporter, const std::stop_token& stop) override;
  Status forget(const extension::RepositoryAccess& repository, const std::vector<std::string>& snapshots,
                const std::stop_token& stop) override;
  Status maintain(const extension::RepositoryAccess& repository, const std::stop_token& stop) override;

 private:
  const KopiaOptions options_;
  io::ProcessRunner& processes_;
};

}  // namespace landfall::kopia
