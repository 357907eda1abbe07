#include "bucket/stored_archive.h"

#include <optional>
#include <utility>

namespace landfall::bucket {
namespace {

// None where a newer release has written them in a form that is not known.
Result<std::optional<Checksums>> known_checksums(BackupStore& backups, const std::string& backup,
                                                 const std::stop_token& stop) {
  auto checksums = backups.read_checksums(backup, stop);
  if (!checksums && checksums.error().code() == Code::kUnsupported) return std::optional<Checksums>();
  return checksums;
}

}  // namespace

Result<archive::SpooledArchive> read_stored_archive(BackupStore& backups, const std::string& backup,
                                                    const std::string& spool_directory,
                                                    VerifiedReader::OnBytes on_bytes, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", backups.layout().backup(backup));
  const std::string file = folder.file(BackupArtifact::kContents);
  auto bytes = backups.open(backup, BackupArtifact::kContents, stop);
  if (!bytes && bytes.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, "there is no archive " + file + " in the bucket: the backup has no contents");
  }
  if (!bytes) return fail("", std::move(bytes).error());
  TRY_ASSIGN(const auto checksums, "", known_checksums(backups, backup, stop));

  VerifiedReader verified(**bytes, std::move(on_bytes));
  TRY_ASSIGN(archive::SpooledArchive archive, "archive " + file,
             archive::SpooledArchive::read(verified, {.directory = spool_directory, .limits = {}}, stop, {}));
  TRY("archive " + file, drain(verified));
  if (!checksums) return archive;
  const auto expected = checksums->files.find(file);
  if (expected != checksums->files.end() && !expected->second.fits(verified.finish())) {
    return fail(Code::kDataLoss,
                "archive " + file + " is not the one that was stored: its SHA-256 is not the one that was recorded");
  }
  return archive;
}

}  // namespace landfall::bucket
