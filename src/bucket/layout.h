#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// Where things are in a bucket: Velero's layout, and Landfall's additions to it. Pure.
namespace landfall::bucket {

// How an artifact is kept.
enum class Form {
  kJson,      // a document for people: over several lines
  kGzipJson,  // one line, compressed
  kGzipText,
  kArchive,  // tar, compressed
};

// The files of a backup B, in `backups/B/`.
enum class BackupArtifact {
  kMetadata,          // velero-backup.json: the Backup. A backup exists when this does.
  kContents,          // B.tar.gz: the items
  kLog,               // B-logs.gz
  kPodVolumeBackups,  // B-podvolumebackups.json.gz
  kVolumeSnapshots,   // B-volumesnapshots.json.gz
  kItemOperations,    // B-itemoperations.json.gz
  kResourceList,      // B-resource-list.json.gz
  kResults,           // B-results.gz
  kVolumeInfos,       // B-volumeinfo.json.gz
  // Read where older releases of Velero wrote them.
  kCsiVolumeSnapshots,         // B-csi-volumesnapshots.json.gz
  kCsiVolumeSnapshotContents,  // B-csi-volumesnapshotcontents.json.gz
  kCsiVolumeSnapshotClasses,   // B-csi-volumesnapshotclasses.json.gz
  // Landfall's own.
  kVolumePluginBackups,  // B-volumepluginbackups.json.gz
  kChecksums,            // B-checksums.json: digest and size of each of the others
};

// The files of a restore R, in `restores/R/`.
enum class RestoreArtifact {
  kLog,             // restore-R-logs.gz
  kResults,         // restore-R-results.gz
  kResourceList,    // restore-R-resource-list.json.gz
  kItemOperations,  // restore-R-itemoperations.json.gz
  kVolumeInfos,     // R-volumeinfo.json.gz: Velero leaves the prefix out here
  kPlan,            // restore-R-plan.json.gz: Landfall's own
};

Form form_of(BackupArtifact artifact);
Form form_of(RestoreArtifact artifact);

// The folder of one backup. A value; made by Layout, so that its name is known to be one.
class BackupFolder {
 public:
  const std::string& name() const { return name_; }
  // "prefix/backups/nightly/"
  const std::string& path() const { return path_; }
  // "nightly.tar.gz"
  std::string file(BackupArtifact artifact) const;
  std::string key(BackupArtifact artifact) const { return path_ + file(artifact); }
  // Which artifact a file of the folder is, if any.
  std::optional<BackupArtifact> artifact(std::string_view file) const;

 private:
  friend class Layout;
  BackupFolder(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}
  std::string name_;
  std::string path_;
};

class RestoreFolder {
 public:
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  std::string file(RestoreArtifact artifact) const;
  std::string key(RestoreArtifact artifact) const { return path_ + file(artifact); }
  // Another name that the file may have, read where the first is not there and never written: R-vol-info.json,
  // compressed or not. Most have none.
  std::optional<std::string> other_file(RestoreArtifact artifact) const;

 private:
  friend class Layout;
  RestoreFolder(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}
  std::string name_;
  std::string path_;
};

// The top of the layout: a bucket, or a prefix in it.
class Layout {
 public:
  // "/" at both ends of the prefix is taken off, as Velero does. kInvalid when the rest can be no folder.
  static Result<Layout> create(std::string_view prefix);

  // "" or "prefix/"
  const std::string& root() const { return root_; }
  std::string backups() const { return root_ + "backups/"; }
  std::string restores() const { return root_ + "restores/"; }
  // kInvalid for what can be no name of a Kubernetes object, and so no folder of one: "../x".
  Result<BackupFolder> backup(std::string_view name) const;
  Result<RestoreFolder> restore(std::string_view name) const;

 private:
  explicit Layout(std::string root) : root_(std::move(root)) {}
  std::string root_;
};

// Whether a folder at the top may be there in a bucket of Velero's.
bool is_known_top_folder(std::string_view name);

}  // namespace landfall::bucket
