#include "cli_restore/restore_source.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "api/phases.h"
#include "api/status.h"
#include "base/bytes.h"
#include "base/strings.h"
#include "bucket/stored_archive.h"
#include "cli/byte_line.h"
#include "cli/temporary_directory.h"
#include "json/json.h"

namespace landfall::cli {

using api::BackupPhase;
using bucket::BackupArtifact;
using bucket::BackupStore;
using json::Json;

namespace {

tl::unexpected<Error> no_such_backup(BackupStore& backups, const std::string& name, const Context& context) {
  constexpr std::size_t kMostNamed = 10;
  auto others = backups.backups(context.stop).value_or(std::vector<std::string>());
  if (others.empty()) {
    return fail(Code::kNotFound, "there is no backup " + quote(name) + ", and no other one in " +
                                     quote(backups.layout().backups()) + ": is --from the place that holds backups/?");
  }
  const bool has_more = others.size() > kMostNamed;
  others.resize(std::min(others.size(), kMostNamed));
  return fail(Code::kNotFound, "there is no backup " + quote(name) + "; there are: " + join(others, ", ") +
                                   (has_more ? " and more" : ""));
}

Result<Json> read_backup(BackupStore& backups, const std::string& name, const Context& context) {
  auto backup = backups.read_backup(name, context.stop);
  if (!backup && backup.error().code() == Code::kNotFound) return no_such_backup(backups, name, context);
  if (!backup) return fail("", std::move(backup).error());
  const auto phase = api::phase_of<BackupPhase>(*backup);
  if (phase && !api::is_final(*phase) && phase != BackupPhase::kDeleting) {
    return fail(Code::kInvalid, "backup " + quote(name) + " is not finished yet (phase " +
                                    std::string(api::to_string(*phase)) + "): restore it when it is");
  }
  if (phase == BackupPhase::kFailed) {
    TRY("", context.err.write("WARNING: backup " + name + " has failed: it may hold a part of the cluster only\n"));
  }
  return backup;
}

// As the store lists it; nothing where it does not say.
std::uint64_t size_of(BackupStore& backups, const std::string& name, const std::string& file,
                      const std::stop_token& stop) {
  const auto files = backups.files(name, stop);
  if (!files) return 0;
  const auto found = std::ranges::find(*files, file, &extension::ObjectInfo::key);
  return found == files->end() ? 0 : found->size.value_or(0);
}

Result<archive::SpooledArchive> read_archive(BackupStore& backups, const std::string& name, const Context& context) {
  TRY_ASSIGN(const bucket::BackupFolder folder, "", backups.layout().backup(name));
  ByteLine line(context);
  line.total(ByteCount(
      static_cast<std::int64_t>(size_of(backups, name, folder.file(BackupArtifact::kContents), context.stop))));
  ByteCount done;
  const auto on_bytes = [&](std::uint64_t count) {
    done += ByteCount(static_cast<std::int64_t>(count));
    line.done(done);
  };
  auto archive = bucket::read_stored_archive(backups, name, temporary_directory(context), on_bytes, context.stop);
  if (archive) {
    line.complete();
  } else if (archive.error().code() == Code::kNotFound) {
    return fail(Code::kDataLoss, "backup " + quote(name) + ": " + archive.error().message() +
                                     "; only its description is left, nothing can be restored from it");
  }
  return archive;
}

Result<std::unique_ptr<Json>> read_document(BackupStore& backups, const std::string& name, BackupArtifact artifact,
                                            const Context& context) {
  TRY_ASSIGN(auto document, "", backups.read(name, artifact, context.stop));
  return document ? std::make_unique<Json>(*std::move(document)) : nullptr;
}

}  // namespace

Result<RestoreSource> read_source(BackupStore& backups, const std::string& name, const Context& context) {
  RestoreSource source;
  TRY_ASSIGN(Json backup, "", read_backup(backups, name, context));
  source.backup = std::make_unique<Json>(std::move(backup));
  TRY_ASSIGN(source.archive, "", read_archive(backups, name, context));
  TRY_ASSIGN(source.volume_infos, "", read_document(backups, name, BackupArtifact::kVolumeInfos, context));
  TRY_ASSIGN(source.volume_snapshots, "", read_document(backups, name, BackupArtifact::kVolumeSnapshots, context));
  TRY_ASSIGN(source.csi_volume_snapshots, "",
             read_document(backups, name, BackupArtifact::kCsiVolumeSnapshots, context));
  TRY_ASSIGN(const auto volumes, "", read_document(backups, name, BackupArtifact::kPodVolumeBackups, context));
  if (volumes && volumes->is_array()) {
    for (Json& one : *volumes) source.pod_volume_backups.push_back(std::move(one));
  }
  return source;
}

}  // namespace landfall::cli
