#include "restic/restic_uploader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/quote.h"
#include "io/temp_dir.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "restic/cleared_way.h"
#include "restic/restic_errors.h"
#include "uploader_program/program_access.h"

namespace landfall::restic {

using extension::DownloadRequest;
using extension::IfMissing;
using extension::RepositoryAccess;
using extension::UploadedVolume;
using extension::UploadRequest;
using json::Json;
using uploader_program::check_snapshot;

namespace {

constexpr int kSomeFilesUnreadable = 3;
constexpr std::size_t kFullId = 64;

Result<bool> is_empty(const std::string& directory) {
  std::error_code error;
  const std::filesystem::directory_iterator first(directory, error);
  if (error) {
    return fail(error == std::errc::no_such_file_or_directory ? Code::kNotFound : Code::kInternal,
                "volume directory " + quote(directory) + ": " + error.message());
  }
  return first == std::filesystem::directory_iterator();
}

// A repository in a directory has a file for each snapshot, by its name. Nothing when it is not that simple.
std::optional<std::string> id_in_directory(const std::string& repository, const std::string& id) {
  std::optional<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(repository + "/snapshots", error)) {
    const std::string name = entry.path().filename();
    if (name.size() != kFullId || !name.starts_with(id)) continue;
    if (found) return std::nullopt;
    found = name;
  }
  return found;
}

// Passes on what a backup says about itself.
class UploadEar {
 public:
  explicit UploadEar(progress::ByteReporter& reporter) : reporter_(reporter) {}

  void hear(const Message& message) {
    if (const auto* status = std::get_if<StatusMessage>(&message)) {
      hear(*status);
    } else if (const auto* summary = std::get_if<SummaryMessage>(&message)) {
      summary_ = *summary;
      reporter_.finishing();
    } else if (const auto* item = std::get_if<ItemMessage>(&message)) {
      constexpr std::size_t kMostNamed = 10;
      ++unreadable_count_;
      if (unreadable_.size() < kMostNamed) unreadable_.push_back(item->item + ": " + item->what);
    } else if (const auto* retry = std::get_if<RetryMessage>(&message)) {
      reporter_.blame(retry->what);
    }
  }

  UploadedVolume volume() const {
    return {.snapshot = summary_.snapshot,
            .total = summary_.total.value_or(ByteCount()),
            .added = summary_.added,
            .unreadable = unreadable_,
            .unreadable_count = unreadable_count_};
  }

 private:
  // As long as nothing is done, restic still looks for files, and its total is no total. It says the same again and
  // again while nothing moves.
  void hear(const StatusMessage& status) {
    reporter_.doing(status.current);
    if (status != last_) reporter_.alive();
    last_ = status;
    if (!status.done || !status.total) return;
    reporter_.total(*status.total);
    reporter_.done(*status.done);
  }

  progress::ByteReporter& reporter_;
  StatusMessage last_;
  SummaryMessage summary_;
  std::vector<std::string> unreadable_;
  std::size_t unreadable_count_ = 0;
};

// Whoever counts from outside does not see which bytes are the files': never more than there are.
class DownloadEar {
 public:
  using ListFiles = std::function<Result<RestoredFiles>()>;
  DownloadEar(progress::ByteReporter& reporter, ByteCount total, const ResticOptions& options, ListFiles list)
      : reporter_(reporter), total_(total), options_(options), list_(std::move(list)) {}

  void hear(const Message& message) {
    if (const auto* status = std::get_if<StatusMessage>(&message)) {
      reporter_.doing(status->current);
      if (status->done) reporter_.done(std::min(*status->done, total_));
    } else if (const auto* retry = std::get_if<RetryMessage>(&message)) {
      reporter_.blame(retry->what);
      has_complained_ = true;
    }
  }
  // For releases that do not say how far they are. Nothing when it only tries again: its complaints and its requests
  // are written, too, so that after a complaint it is not before a good deal more that something has moved.
  std::optional<ByteCount> look(int pid) {
    constexpr ByteCount kOfAnAttempt = 64 * kKiB;
    auto done = options_.written_by(pid);
    if (!done) done = measure();
    if (!done) return std::nullopt;
    if (std::exchange(has_complained_, false)) moves_from_ = *done + kOfAnAttempt;
    if (*done < moves_from_) return std::nullopt;
    reporter_.done(std::min(*done, total_));
    return done;
  }

 private:
  std::optional<ByteCount> measure() {
    // Looking at a file takes a few microseconds: this is about one per cent of a core.
    constexpr double kFilesPerSecond = 2000;
    if (!files_) files_ = list_();
    if (!*files_) return std::nullopt;  // progress is no reason to fail
    const double seconds = std::chrono::duration<double>(options_.progress_interval).count();
    const auto seen = (*files_)->look(static_cast<std::size_t>(std::max(1.0, kFilesPerSecond * seconds)));
    return seen ? std::optional(*seen) : std::nullopt;
  }

  progress::ByteReporter& reporter_;
  const ByteCount total_;
  const ResticOptions& options_;
  const ListFiles list_;
  std::optional<Result<RestoredFiles>> files_;
  bool has_complained_ = false;  // since the last look
  ByteCount moves_from_;
};

}  // namespace

Result<ResticProgram::Ran> ResticUploader::call(const RepositoryAccess& repository, const Call& call,
                                                const std::stop_token& stop) {
  auto ran = program_.call(repository, call, stop);
  if (ran || !is_locked(ran.error())) return ran;
  TRY("", unlock(repository, stop));
  return program_.call(repository, call, stop);
}

Status ResticUploader::open(const RepositoryAccess& repository, IfMissing if_missing, const std::stop_token& stop) {
  const Call look{.arguments = {"--no-lock", "cat", "config"}, .captures_output = true};
  auto seen = program_.call(repository, look, stop);
  if (seen) return {};
  if (seen.error().code() != Code::kNotFound || if_missing == IfMissing::kFail)
    return fail("", std::move(seen).error());
  const auto made = program_.call(repository, {.arguments = {"init"}, .captures_output = true}, stop);
  if (made) return {};
  // Somebody else may have made it in this moment.
  if (program_.call(repository, look, stop)) return {};
  return fail("make a repository", made.error());
}

Result<std::string> ResticUploader::full_id(const RepositoryAccess& repository, const std::string& id,
                                            const std::stop_token& stop) {
  if (id.size() == kFullId) return id;
  // Asking restic takes it half a second.
  if (!repository.s3) {
    if (auto found = id_in_directory(repository.path, id)) return *std::move(found);
  }
  TRY_ASSIGN(const ResticProgram::Ran ran, "snapshots",
             call(repository, {.arguments = {"--no-lock", "snapshots", id}, .captures_output = true}, stop));
  TRY_ASSIGN(const Json listed, "snapshots", json::parse(ran.out));
  if (!listed.is_array() || listed.size() != 1) {
    return fail(Code::kInternal, "the snapshot " + quote(id) + " is not to be found after it was taken");
  }
  return json::string_at(listed.front(), {"id"});
}

Result<UploadedVolume> ResticUploader::upload(const RepositoryAccess& repository, const UploadRequest& request,
                                              progress::ByteReporter& reporter, const std::stop_token& stop) {
  TRY_ASSIGN(const bool has_nothing, "", is_empty(request.directory));
  if (has_nothing) return UploadedVolume();
  if (!request.parent.empty()) TRY("parent", check_snapshot(request.parent, "restic"));
  auto volume = back_up(repository, request, reporter, stop);
  if (!volume && volume.error().code() == Code::kNotFound && !request.parent.empty()) {
    // The parent may be forgotten by now: all files are read then.
    volume = back_up(repository, {.directory = request.directory, .tags = request.tags}, reporter, stop);
  }
  if (!volume) return fail("back up", std::move(volume).error());
  if (volume->snapshot.empty()) return fail(Code::kInternal, "restic ended well and named no snapshot");
  TRY_ASSIGN(volume->snapshot, "", full_id(repository, volume->snapshot, stop));
  return volume;
}

Result<UploadedVolume> ResticUploader::back_up(const RepositoryAccess& repository, const UploadRequest& request,
                                               progress::ByteReporter& reporter, const std::stop_token& stop) {
  Call backup{.arguments = {"backup", ".", "--host", "velero"},
              .directory = request.directory,
              .good_exits = {0, kSomeFilesUnreadable}};
  for (const auto& [key, value] : request.tags)
    backup.arguments.insert(backup.arguments.end(), {"--tag", key + "=" + value});
  if (!request.parent.empty()) backup.arguments.insert(backup.arguments.end(), {"--parent", request.parent});
  UploadEar ear(reporter);
  backup.on_message = [&](const Message& message) { ear.hear(message); };
  TRY("", call(repository, backup, stop));
  return ear.volume();
}

Result<ByteCount> ResticUploader::size_of(const RepositoryAccess& repository, const std::string& snapshot,
                                          const std::stop_token& stop) {
  TRY_ASSIGN(
      const ResticProgram::Ran ran, "size of the snapshot",
      call(repository,
           {.arguments = {"--no-lock", "stats", "--mode", "restore-size", snapshot}, .captures_output = true}, stop));
  TRY_ASSIGN(const Json stats, "size of the snapshot", json::parse(ran.out));
  TRY_ASSIGN(const std::int64_t size, "size of the snapshot", json::int_at(stats, {"total_size"}));
  return ByteCount(size);
}

Result<RestoredFiles> ResticUploader::files_of(const RepositoryAccess& repository, const DownloadRequest& request,
                                               const std::string& scratch, const std::stop_token& stop) {
  TRY_ASSIGN(RestoredFiles files, "", RestoredFiles::create(request.directory, scratch));
  Status added;
  Call list{.arguments = {"--no-lock", "ls", request.snapshot}};
  list.on_message = [&](const Message& message) {
    if (const auto* node = std::get_if<NodeMessage>(&message); node != nullptr && node->size && added) {
      added = files.add(node->path, *node->size);
    }
  };
  TRY("files of the snapshot", program_.call(repository, list, stop));
  TRY("files of the snapshot", added);
  return files;
}

Result<ByteCount> ResticUploader::download(const RepositoryAccess& repository, const DownloadRequest& request,
                                           progress::ByteReporter& reporter, const std::stop_token& stop) {
  TRY("", check_snapshot(request.snapshot, "restic"));
  TRY_ASSIGN(const ResticVersion version, "", program_.version(stop));
  TRY_ASSIGN(const ByteCount total, "", size_of(repository, request.snapshot, stop));
  reporter.total(total);
  TRY_ASSIGN(const io::TempDir scratch, "", io::TempDir::create(program_.options().temporary_directory));
  DownloadEar ear(reporter, total, program_.options(),
                  [&] { return files_of(repository, request, scratch.path(), stop); });
  Call restore{.arguments = {"restore", request.snapshot, "--target", "."}, .directory = request.directory};
  if (repository.is_read_only) restore.arguments.insert(restore.arguments.begin(), "--no-lock");
  if (request.writes_sparse_files && version.writes_sparse_files()) restore.arguments.emplace_back("--sparse");
  TRY("", make_way(repository, request, stop));
  restore.on_message = [&](const Message& message) { ear.hear(message); };
  if (!version.reports_restores()) restore.on_tick = [&](int pid) { return ear.look(pid); };
  TRY("restore", call(repository, restore, stop));
  return total;
}

// Whatever the release: which ones follow what is not ours to rely on, as root in a volume that is somebody else's.
Status ResticUploader::make_way(const RepositoryAccess& repository, const DownloadRequest& request,
                                const std::stop_token& stop) {
  TRY_ASSIGN(const bool has_nothing, "", is_empty(request.directory));
  if (has_nothing) return {};
  TRY_ASSIGN(ClearedWay way, "", ClearedWay::create(request.directory));
  Call list{.arguments = {"--no-lock", "ls", request.snapshot}};
  Status cleared;
  list.on_message = [&](const Message& message) {
    const auto* node = std::get_if<NodeMessage>(&message);
    if (node != nullptr && cleared) cleared = way.clear(node->path);
  };
  TRY("files of the snapshot", program_.call(repository, list, stop));
  TRY("make way for the snapshot", cleared);
  TRY("make way for the snapshot", way.finish(stop));
  return {};
}

Status ResticUploader::forget(const RepositoryAccess& repository, const std::vector<std::string>& snapshots,
                              const std::stop_token& stop) {
  constexpr std::size_t kAtOnce = 200;  // far below what a command line may hold
  for (std::size_t at = 0; at < snapshots.size(); at += kAtOnce) {
    Call forget{.arguments = {"forget"}, .captures_output = true};
    for (std::size_t i = at; i < std::min(at + kAtOnce, snapshots.size()); ++i) {
      TRY("", check_snapshot(snapshots[i], "restic"));
      forget.arguments.push_back(snapshots[i]);
    }
    const auto done = call(repository, forget, stop);
    if (!done && done.error().code() != Code::kNotFound) return fail("forget snapshots", done.error());
  }
  return {};
}

// Only locks of dead processes: those of this machine whose process is gone, and those half an hour old, which nobody
// keeps up.
Status ResticUploader::unlock(const RepositoryAccess& repository, const std::stop_token& stop) {
  TRY("unlock", program_.call(repository, {.arguments = {"unlock"}, .captures_output = true}, stop));
  return {};
}

Status ResticUploader::maintain(const RepositoryAccess& repository, const std::stop_token& stop) {
  TRY("", unlock(repository, stop));
  TRY("prune", program_.call(repository, {.arguments = {"prune"}, .captures_output = true}, stop));
  return {};
}

}  // namespace landfall::restic
