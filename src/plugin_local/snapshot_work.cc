#include "plugin_local/snapshot_work.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/strings.h"
#include "io/file.h"
#include "plugin_local/entry.h"
#include "plugin_local/entry_writer.h"
#include "plugin_local/journal.h"
#include "plugin_local/walk.h"

namespace landfall::plugin_local {
namespace {

// Workers that died each left a journal, "journal.1" first; the last one that lives becomes the manifest.
constexpr int kMostJournals = 1000;

std::string journal(const Layout& layout, const Task& task, int number) {
  return layout.file(task, "journal." + std::to_string(number));
}

struct FileDigest {
  std::uint64_t size = 0;
  std::string sha256;
};

class SnapshotCopy {
 public:
  SnapshotCopy(const Layout& layout, Task& task, TaskMeter& meter, Tree& from, Tree& to)
      : layout_(layout), task_(task), meter_(meter), from_(from), to_(to), writer_(from, to) {}

  Status run() {
    TRY("", read_earlier_journals());
    TRY("", count());
    TRY("", read_previous());
    TRY_ASSIGN(JournalWriter written, "", JournalWriter::create(journal(layout_, task_, next_journal_)));
    TRY("", walk(from_, [&](const std::string& path) { return take(path, written); }));
    TRY("", remove_vanished());
    TRY("", writer_.finish_directories());
    TRY("", written.sync());
    // One call for all the files: syncing each as it comes would take many times as long.
    if (::syncfs(to_.descriptor()) != 0) return tl::unexpected(io::errno_error("sync " + to_.path(), errno));
    return publish();
  }

 private:
  Status read_earlier_journals() {
    for (next_journal_ = 1; next_journal_ < kMostJournals; ++next_journal_) {
      const Status read = read_journal(journal(layout_, task_, next_journal_), Ending::kMayBeTorn, [&](Entry entry) {
        if (entry.type == EntryType::kFile) last_ = entry.path;
        std::string path = entry.path;
        done_.insert_or_assign(std::move(path), std::move(entry));
        return Status();
      });
      if (!read && read.error().code() == Code::kNotFound) break;
      TRY("", read);
    }
    const bool is_going_on = task_.attempts > 0 && task_.entries == static_cast<std::int64_t>(done_.size());
    constexpr std::int64_t kMostAttempts = 10;
    task_.attempts = is_going_on ? task_.attempts + 1 : 1;
    task_.entries = static_cast<std::int64_t>(done_.size());
    if (task_.attempts > kMostAttempts) {
      return fail(Code::kInternal, "the process that copies has died " + std::to_string(kMostAttempts) +
                                       " times without getting anything done");
    }
    checks_all_ = task_.boot != boot_id();
    task_.boot = boot_id();
    return save_task(layout_, task_);
  }

  Status count() {
    std::int64_t total = 0;
    std::unordered_set<std::string> seen;
    const auto look = [&](const std::string& path) -> Result<bool> {
      TRY("", meter_.check());
      const auto entry = read_entry_briefly(from_, path);
      if (!entry && entry.error().code() == Code::kNotFound) return false;
      if (!entry) return tl::unexpected(entry.error());
      const bool counts = entry->names < 2 || seen.insert(inode_of(*entry)).second;
      if (entry->type == EntryType::kFile && counts) total += static_cast<std::int64_t>(entry->size);
      return entry->type == EntryType::kDirectory;
    };
    TRY("", walk(from_, look));
    meter_.change([&](Counts& counts) { counts = {.total_bytes = total}; });
    meter_.flush();
    return {};
  }

  // A manifest that is damaged or gone only means that there is nothing to compare with.
  Status read_previous() {
    task_.previous = previous_of(layout_, task_);
    if (task_.previous.empty()) return {};
    const std::string path = layout_.folder(TaskKind::kSnapshot, task_.previous) + "/manifest";
    const Status read = read_journal(path, Ending::kMustBeWhole, [&](const Entry& entry) {
      previous_[entry.path] = {.size = entry.size, .sha256 = entry.sha256};
      return meter_.check();
    });
    if (!read && read.error().code() == Code::kCancelled) return read;
    if (!read) {
      previous_.clear();
      task_.previous.clear();
    }
    return {};
  }

  static std::string inode_of(const Entry& entry) {
    return std::to_string(entry.file_system) + ":" + std::to_string(entry.inode);
  }

  // Whether the path is a directory to look into.
  Result<bool> take(const std::string& path, JournalWriter& written) {
    TRY("", meter_.check());
    auto found = read_entry(from_, path);
    if (!found && found.error().code() == Code::kNotFound) return false;  // gone since its name was read
    if (!found) return tl::unexpected(std::move(found).error());
    Entry entry = *std::move(found);
    if (entry.type != EntryType::kDirectory && entry.names > 1) {
      const auto [first, is_new] = first_names_.try_emplace(inode_of(entry), path);
      if (!is_new) entry.same_as = first->second;
    }
    TRY_ASSIGN(const bool is_there, "", is_finished(entry));
    if (!is_there) {
      TRY_ASSIGN(const bool is_copied, "", copy(entry));
      if (!is_copied) return false;
    }
    visited_.insert(path);
    TRY("", written.add(entry));
    account(entry);
    return entry.type == EntryType::kDirectory;
  }

  // False when it has gone.
  Result<bool> copy(Entry& entry) {
    auto copied = writer_.write(entry, [this](std::uint64_t bytes) { return meter_.add(bytes); });
    if (!copied) {
      const bool is_gone = copied.error().code() == Code::kNotFound && !read_entry_briefly(from_, entry.path);
      if (is_gone) return false;
      return tl::unexpected(std::move(copied).error());
    }
    if (entry.type != EntryType::kFile || !entry.same_as.empty()) return true;
    entry.size = copied->size;
    entry.sha256 = copied->sha256;
    if (copied->shares_blocks) {
      meter_.change([&](Counts& counts) { counts.shared_bytes += static_cast<std::int64_t>(entry.size); });
    }
    return true;
  }

  // Takes over what a worker before has finished, if the source is still the same and the copy is what it was.
  Result<bool> is_finished(Entry& entry) {
    const auto before = done_.find(entry.path);
    if (before == done_.end() || !is_unchanged(before->second, entry)) return false;
    if (entry.type == EntryType::kDirectory) return false;  // made again, which costs nothing
    const auto copy = read_entry_briefly(to_, entry.path);
    if (!copy || copy->type != entry.type) return false;
    if (entry.type != EntryType::kFile || !entry.same_as.empty()) return false;
    if (copy->size != before->second.size) return false;
    entry.sha256 = before->second.sha256;
    const bool is_doubtful = checks_all_ || entry.path == last_;
    if (!is_doubtful) {
      TRY("", meter_.skip(entry.size));
      return true;
    }
    const std::int64_t counted = meter_.counts().bytes_done;
    TRY_ASSIGN(const io::Descriptor file, "", to_.open_entry(entry.path, O_RDONLY));
    TRY_ASSIGN(const CopiedFile found, "",
               digest_file(file.get(), join_path(to_.path(), entry.path),
                           [this](std::uint64_t bytes) { return meter_.add(bytes); }));
    if (found.sha256 == entry.sha256) return true;
    entry.sha256.clear();
    meter_.change([&](Counts& counts) { counts.bytes_done = counted; });
    return false;
  }

  void account(const Entry& entry) {
    if (entry.type != EntryType::kFile || !entry.same_as.empty()) return;
    const auto before = previous_.find(entry.path);
    const bool is_same =
        before != previous_.end() && before->second.size == entry.size && before->second.sha256 == entry.sha256;
    meter_.change([&](Counts& counts) {
      ++counts.files;
      if (!is_same) counts.changed_bytes += static_cast<std::int64_t>(entry.size);
    });
  }

  Status remove_vanished() {
    for (const auto& [path, entry] : done_) {
      if (!visited_.contains(path)) TRY("", to_.remove(path));
    }
    return {};
  }

  Status publish() {
    const std::string manifest = layout_.file(task_, "manifest");
    const std::string written = journal(layout_, task_, next_journal_);
    TRY_ASSIGN(task_.manifest_sha256, "", digest_of(written));
    if (std::rename(written.c_str(), manifest.c_str()) != 0) {
      return tl::unexpected(io::errno_error("rename " + written, errno));
    }
    for (int number = 1; number < next_journal_; ++number) ::unlink(journal(layout_, task_, number).c_str());
    if (!writer_.losses().empty()) task_.message = "not kept: " + join(writer_.losses(), "; ");
    meter_.change([](Counts& counts) { counts.total_bytes = counts.bytes_done; });  // files may have become shorter
    return {};
  }

  const Layout& layout_;
  Task& task_;
  TaskMeter& meter_;
  Tree& from_;
  Tree& to_;
  EntryWriter writer_;
  std::unordered_map<std::string, Entry> done_;  // by workers before
  std::string last_;                             // the file that the last of them finished last
  bool checks_all_ = false;
  int next_journal_ = 1;
  std::unordered_map<std::string, FileDigest> previous_;
  std::unordered_map<std::string, std::string> first_names_;
  std::unordered_set<std::string> visited_;
};

}  // namespace

std::string boot_id() {
  const auto text = io::read_file("/proc/sys/kernel/random/boot_id", 128);
  return text ? std::string(trim(*text)) : "";
}

std::string previous_of(const Layout& layout, const Task& task) {
  std::string found;
  WallTime latest = WallTime::min();
  for (const std::string& id : ids_in(layout, TaskKind::kSnapshot)) {
    if (id == task.id) continue;
    const auto other = load_task(layout, TaskKind::kSnapshot, id);
    if (!other || other->volume_id != task.volume_id || other->phase != kCompleted || !other->completed) continue;
    if (*other->completed >= latest) {
      latest = *other->completed;
      found = id;
    }
  }
  return found;
}

Status copy_snapshot(const Layout& layout, Task& task, TaskMeter& meter) {
  const std::string data = layout.file(task, "data");
  if (::mkdir(data.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(io::errno_error("create " + data, errno));
  TRY_ASSIGN(Tree from, "", Tree::open_in(task.settings.root, task.volume_id));
  TRY_ASSIGN(Tree to, "", Tree::open(data));
  return SnapshotCopy(layout, task, meter, from, to).run();
}

Status discard_snapshot(const Layout& layout, const Task& task) {
  TRY_ASSIGN(Tree folder, "", Tree::open(layout.folder(task.kind, task.id)));
  TRY_ASSIGN(const std::vector<std::string> names, "", folder.names_in("."));
  for (const std::string& name : names) {
    if (name == "data" || name == "manifest" || name.starts_with("journal.")) TRY("", folder.remove(name));
  }
  return {};
}

}  // namespace landfall::plugin_local
