#include "plugin_local/volume_work.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/strings.h"
#include "io/descriptor.h"
#include "plugin_local/entry.h"
#include "plugin_local/entry_writer.h"
#include "plugin_local/journal.h"
#include "plugin_local/snapshot_work.h"

namespace landfall::plugin_local {
namespace {

std::string partial_name(const Task& task) { return "." + task.id + ".partial"; }

class VolumeFill {
 public:
  VolumeFill(const Task& task, TaskMeter& meter, Tree& from, Tree& to)
      : task_(task), meter_(meter), to_(to), writer_(from, to) {}

  Status run(const std::string& manifest) {
    TRY("", read_journal(manifest, Ending::kMustBeWhole, [this](const Entry& entry) { return make(entry); }));
    TRY("", writer_.finish_directories());
    if (::syncfs(to_.descriptor()) != 0) return tl::unexpected(io::errno_error("sync " + to_.path(), errno));
    return {};
  }

  std::string losses() const { return join(writer_.losses(), "; "); }

 private:
  Status make(const Entry& entry) {
    TRY("", meter_.check());
    const bool has_bytes = entry.type == EntryType::kFile && entry.same_as.empty();
    TRY_ASSIGN(const bool is_there, "", has_bytes ? is_whole(entry) : Result<bool>(false));
    if (is_there) return count(entry);
    TRY_ASSIGN(const CopiedFile copied, "",
               writer_.write(entry, [this](std::uint64_t bytes) { return meter_.add(bytes); }));
    if (!has_bytes) return {};
    if (copied.size != entry.size || copied.sha256 != entry.sha256) {
      return fail(Code::kDataLoss,
                  "snapshot " + task_.snapshot_id + " is damaged: " + entry.path + " is not what its checksum says");
    }
    if (copied.shares_blocks) {
      meter_.change([&](Counts& counts) { counts.shared_bytes += static_cast<std::int64_t>(entry.size); });
    }
    return count(entry);
  }

  Status count(const Entry& entry) {
    if (entry.type == EntryType::kFile) meter_.change([](Counts& counts) { ++counts.files; });
    return {};
  }

  // The times are set last: a file without them is not finished. Others are read, not believed.
  Result<bool> is_whole(const Entry& entry) {
    const auto found = read_entry_briefly(to_, entry.path);
    if (!found || found->type != EntryType::kFile || found->size != entry.size || found->modified != entry.modified) {
      return false;
    }
    const std::int64_t counted = meter_.counts().bytes_done;
    TRY_ASSIGN(const io::Descriptor file, "", to_.open_entry(entry.path, O_RDONLY));
    TRY_ASSIGN(const CopiedFile there, "",
               digest_file(file.get(), join_path(to_.path(), entry.path),
                           [this](std::uint64_t bytes) { return meter_.add(bytes); }));
    if (there.sha256 == entry.sha256) return true;
    meter_.change([&](Counts& counts) { counts.bytes_done = counted; });
    return false;
  }

  const Task& task_;
  TaskMeter& meter_;
  Tree& to_;
  EntryWriter writer_;
};

Status make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return tl::unexpected(io::errno_error("create " + path, errno));
}

std::string volumes_of(const Task& task) {
  const std::size_t slash = task.volume_id.rfind('/');
  return task.settings.root + task.volume_id.substr(0, slash);
}

Status give_name(const Task& task) {
  const std::string whole = task.settings.root + task.volume_id;
  const std::string partial = volumes_of(task) + "/" + partial_name(task);
  // An empty directory in its place (made for a pod that came too early) is replaced; anything else is not ours.
  if (std::rename(partial.c_str(), whole.c_str()) != 0) {
    return tl::unexpected(io::errno_error("give the volume its name " + whole, errno));
  }
  TRY_ASSIGN(const Tree parent, "", Tree::open(volumes_of(task)));
  if (::fsync(parent.descriptor()) != 0) return tl::unexpected(io::errno_error("sync " + parent.path(), errno));
  return {};
}

// The top of the new volume is there already, whole, when a worker died behind the very last step.
bool has_name(const Task& task) {
  struct stat info{};
  const std::string partial = volumes_of(task) + "/" + partial_name(task);
  return ::stat((task.settings.root + task.volume_id).c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         ::lstat(partial.c_str(), &info) != 0 && errno == ENOENT;
}

}  // namespace

Status fill_volume(const Layout& layout, Task& task, TaskMeter& meter) {
  TRY_ASSIGN(const Task snapshot, "", load_task(layout, TaskKind::kSnapshot, task.snapshot_id));
  if (snapshot.phase != kCompleted) {
    return fail(Code::kInvalid, "snapshot " + snapshot.id + " is not completed but " + snapshot.phase);
  }
  const std::int64_t done_before = meter.counts().files;
  meter.change([&](Counts& counts) { counts = {.total_bytes = snapshot.counts.total_bytes}; });
  meter.flush();
  if (task.attempts > 0 && has_name(task)) {
    meter.change([&](Counts& counts) {
      counts.bytes_done = counts.total_bytes;
      counts.files = snapshot.counts.files;
    });
    return {};
  }
  constexpr std::int64_t kMostAttempts = 10;
  task.attempts = done_before > task.entries ? 1 : task.attempts + 1;
  task.entries = done_before;
  if (task.attempts > kMostAttempts) {
    return fail(Code::kInternal, "the process that copies has died " + std::to_string(kMostAttempts) +
                                     " times without getting anything done");
  }
  const std::string partial = volumes_of(task) + "/" + partial_name(task);
  TRY("", make_directory(partial));
  TRY("", save_task(layout, task));
  const std::string manifest = layout.file(snapshot, "manifest");
  TRY_ASSIGN(const std::string digest, "", digest_of(manifest));
  if (digest != snapshot.manifest_sha256) {
    return fail(Code::kDataLoss, "snapshot " + snapshot.id + " is damaged: its manifest is not what was written");
  }
  TRY_ASSIGN(Tree from, "", Tree::open(layout.file(snapshot, "data")));
  TRY_ASSIGN(Tree to, "", Tree::open(partial));
  VolumeFill fill(task, meter, from, to);
  TRY("", fill.run(manifest));
  if (const std::string losses = fill.losses(); !losses.empty()) task.message = "not kept: " + losses;
  meter.change([](Counts& counts) { counts.total_bytes = counts.bytes_done; });
  return give_name(task);
}

Status discard_volume(const Task& task) {
  auto parent = Tree::open(volumes_of(task));
  if (!parent && parent.error().code() == Code::kNotFound) return {};
  if (!parent) return tl::unexpected(std::move(parent).error());
  return parent->remove(partial_name(task));
}

}  // namespace landfall::plugin_local
