#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bucket/checksums.h"
#include "bucket/layout.h"
#include "extension/object_source.h"
#include "extension/object_store.h"
#include "json/json_fwd.h"

namespace landfall::bucket {

// One artifact to be written. The source is borrowed and must be readable twice: once for its digest.
struct NewArtifact {
  BackupArtifact artifact;
  const extension::ObjectSource& source;
};

// The backups and restores of one bucket, in Velero's layout.
//
// A backup is there when its velero-backup.json is: that is written after everything it speaks of, so a crash leaves
// files that are no backup, never a backup without its files. Not two writers of one backup at a time. Thread-safe
// otherwise, as the store is. Errors name the artifact.
class BackupStore {
 public:
  // The store must outlive it.
  BackupStore(extension::ObjectStore& store, Layout layout) : store_(store), layout_(std::move(layout)) {}

  const Layout& layout() const { return layout_; }

  // kInvalid when the bucket holds folders that are not Velero's: it belongs to something else, or needs a prefix.
  Status check_top_level(const std::stop_token& stop);

  // The folders of backups, in order. One that was never finished, or is being written, is among them: read_backup()
  // says kNotFound for it.
  Result<std::vector<std::string>> backups(const std::stop_token& stop);
  Result<std::vector<std::string>> restores(const std::stop_token& stop);
  Result<bool> has_backup(std::string_view name, const std::stop_token& stop);

  // kInvalid when the files of a backup of that name would have names that the store cannot hold.
  Status check_name(std::string_view name) const;

  // The Backup. kNotFound when there is none, kDataLoss when it is no velero.io/v1 Backup of that name.
  Result<json::Json> read_backup(std::string_view name, const std::stop_token& stop);
  // A document of a backup; nothing when that file is not there, which is so of most files in some release of Velero.
  Result<std::optional<json::Json>> read(std::string_view name, BackupArtifact artifact, const std::stop_token& stop);
  Result<std::optional<json::Json>> read(std::string_view name, RestoreArtifact artifact, const std::stop_token& stop);
  // The bytes as they are kept, under another name that the file may have as well. kNotFound when there are none.
  Result<std::unique_ptr<io::Reader>> open(std::string_view name, BackupArtifact artifact, const std::stop_token& stop);
  Result<std::unique_ptr<io::Reader>> open(std::string_view name, RestoreArtifact artifact,
                                           const std::stop_token& stop);
  // The name of the file that open() finds, or its first name where there is none. Looks into the store only for those
  // that have another.
  Result<std::string> file_name(std::string_view name, RestoreArtifact artifact, const std::stop_token& stop);
  // Nothing for backups that Velero made.
  Result<std::optional<Checksums>> read_checksums(std::string_view name, const std::stop_token& stop);
  // The files in the folder of a backup, with their sizes where the store knows them.
  Result<std::vector<extension::ObjectInfo>> files(std::string_view name, const std::stop_token& stop);

  // Writes a backup: first the artifacts, then the checksums of all, then the Backup. kAlreadyExists when there is one
  // of that name. After an error nothing of it is left (unless the error says so).
  Status create(std::string_view name, const json::Json& backup, const std::vector<NewArtifact>& artifacts,
                const std::stop_token& stop);
  // The log of a backup that has failed: there to be read, but no backup.
  Status keep_log(std::string_view name, const extension::ObjectSource& log, const std::stop_token& stop);
  // Replaces artifacts of a backup and, last, the Backup itself. The checksums are right at every moment; a backup that
  // has none gets none.
  Status rewrite(std::string_view name, const json::Json& backup, const std::vector<NewArtifact>& artifacts,
                 const std::stop_token& stop);

  Status write(std::string_view name, RestoreArtifact artifact, const extension::ObjectSource& source,
               const std::stop_token& stop);
  Status write(std::string_view name, RestoreArtifact artifact, const json::Json& document,
               const std::stop_token& stop);

  // Removes everything in the folder, the Backup first: what is left after an error is no backup any more. Nothing
  // there is no error.
  Status remove_backup(std::string_view name, const std::stop_token& stop);
  Status remove_restore(std::string_view name, const std::stop_token& stop);

  // Removes what uploads have left behind that died with their process and began before a moment; how many those were.
  Result<std::size_t> sweep(WallTime begun_before, const std::stop_token& stop);

  // An address to fetch one artifact from, as the store offers it (kUnsupported where it does not).
  Result<std::string> signed_url(std::string_view name, BackupArtifact artifact, std::chrono::seconds valid_for,
                                 const std::stop_token& stop);
  Result<std::string> signed_url(std::string_view name, RestoreArtifact artifact, std::chrono::seconds valid_for,
                                 const std::stop_token& stop);

 private:
  Result<std::vector<std::string>> names_in(const std::string& folder, const std::stop_token& stop);
  Status put_checksums(const BackupFolder& folder, const Checksums& checksums, const std::stop_token& stop);
  Status put_all(const BackupFolder& folder, const json::Json& backup, const std::vector<NewArtifact>& artifacts,
                 const std::stop_token& stop);
  Status put_new(const std::string& key, const std::string& bytes, const std::stop_token& stop);
  Status remove_folder(const std::string& folder, const std::string& first, const std::stop_token& stop);

  extension::ObjectStore& store_;
  const Layout layout_;
};

}  // namespace landfall::bucket
