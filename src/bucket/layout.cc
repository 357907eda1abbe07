#include "bucket/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/quote.h"
#include "extension/object_store.h"
#include "k8s/names.h"

namespace landfall::bucket {
namespace {

// A file is called front + name + back; without a name where it has none in it.
struct BackupRow {
  BackupArtifact artifact;
  std::string_view back;
  Form form;
};
struct RestoreRow {
  RestoreArtifact artifact;
  std::string_view front;
  std::string_view back;
  Form form;
};

constexpr std::string_view kMetadataFile = "velero-backup.json";

constexpr auto kBackupRows = std::to_array<BackupRow>({
    {BackupArtifact::kMetadata, kMetadataFile, Form::kJson},
    {BackupArtifact::kContents, ".tar.gz", Form::kArchive},
    {BackupArtifact::kLog, "-logs.gz", Form::kGzipText},
    {BackupArtifact::kPodVolumeBackups, "-podvolumebackups.json.gz", Form::kGzipJson},
    {BackupArtifact::kVolumeSnapshots, "-volumesnapshots.json.gz", Form::kGzipJson},
    {BackupArtifact::kItemOperations, "-itemoperations.json.gz", Form::kGzipJson},
    {BackupArtifact::kResourceList, "-resource-list.json.gz", Form::kGzipJson},
    {BackupArtifact::kResults, "-results.gz", Form::kGzipJson},
    {BackupArtifact::kVolumeInfos, "-volumeinfo.json.gz", Form::kGzipJson},
    {BackupArtifact::kCsiVolumeSnapshots, "-csi-volumesnapshots.json.gz", Form::kGzipJson},
    {BackupArtifact::kCsiVolumeSnapshotContents, "-csi-volumesnapshotcontents.json.gz", Form::kGzipJson},
    {BackupArtifact::kCsiVolumeSnapshotClasses, "-csi-volumesnapshotclasses.json.gz", Form::kGzipJson},
    {BackupArtifact::kVolumePluginBackups, "-volumepluginbackups.json.gz", Form::kGzipJson},
    {BackupArtifact::kChecksums, "-checksums.json", Form::kJson},
});

constexpr auto kRestoreRows = std::to_array<RestoreRow>({
    {RestoreArtifact::kLog, "restore-", "-logs.gz", Form::kGzipText},
    {RestoreArtifact::kResults, "restore-", "-results.gz", Form::kGzipJson},
    {RestoreArtifact::kResourceList, "restore-", "-resource-list.json.gz", Form::kGzipJson},
    {RestoreArtifact::kItemOperations, "restore-", "-itemoperations.json.gz", Form::kGzipJson},
    {RestoreArtifact::kVolumeInfos, "", "-volumeinfo.json.gz", Form::kGzipJson},
    {RestoreArtifact::kPlan, "restore-", "-plan.json.gz", Form::kGzipJson},
});

const BackupRow& row_of(BackupArtifact artifact) {
  return *std::ranges::find(kBackupRows, artifact, &BackupRow::artifact);
}
const RestoreRow& row_of(RestoreArtifact artifact) {
  return *std::ranges::find(kRestoreRows, artifact, &RestoreRow::artifact);
}

std::string file_of(const BackupRow& row, std::string_view name) {
  if (row.artifact == BackupArtifact::kMetadata) return std::string(row.back);
  return fmt::format("{}{}", name, row.back);
}

std::string_view without_slashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

Status check_name(std::string_view what, std::string_view name) {
  const auto problems = k8s::dns1123_subdomain_problems(name);
  if (problems.empty()) return {};
  return fail(Code::kInvalid, fmt::format("{} {}: {}", what, quote(name), problems.front()));
}

}  // namespace

Form form_of(BackupArtifact artifact) { return row_of(artifact).form; }
Form form_of(RestoreArtifact artifact) { return row_of(artifact).form; }

std::string BackupFolder::file(BackupArtifact artifact) const { return file_of(row_of(artifact), name_); }

std::optional<BackupArtifact> BackupFolder::artifact(std::string_view file) const {
  const auto row = std::ranges::find_if(kBackupRows, [&](const BackupRow& r) { return file_of(r, name_) == file; });
  if (row == kBackupRows.end()) return std::nullopt;
  return row->artifact;
}

std::string RestoreFolder::file(RestoreArtifact artifact) const {
  const RestoreRow& row = row_of(artifact);
  return fmt::format("{}{}{}", row.front, name_, row.back);
}

std::optional<std::string> RestoreFolder::other_file(RestoreArtifact artifact) const {
  if (artifact != RestoreArtifact::kVolumeInfos) return std::nullopt;
  return fmt::format("{}-vol-info.json", name_);
}

Result<Layout> Layout::create(std::string_view prefix) {
  const std::string_view trimmed = without_slashes(prefix);
  if (trimmed.empty()) return Layout("");
  TRY("prefix", extension::check_key(trimmed));
  return Layout(fmt::format("{}/", trimmed));
}

Result<BackupFolder> Layout::backup(std::string_view name) const {
  TRY("", check_name("backup", name));
  return BackupFolder(std::string(name), fmt::format("{}{}/", backups(), name));
}

Result<RestoreFolder> Layout::restore(std::string_view name) const {
  TRY("", check_name("restore", name));
  return RestoreFolder(std::string(name), fmt::format("{}{}/", restores(), name));
}

bool is_known_top_folder(std::string_view name) {
  static constexpr auto kKnown =
      std::to_array<std::string_view>({"backups", "restores", "kopia", "restic", "metadata", "plugins"});
  return std::ranges::find(kKnown, name) != kKnown.end();
}

}  // namespace landfall::bucket
