#include "archive/archive_rewrite.h"

#include <map>
#include <vector>

#include "archive/archive_reader.h"
#include "io/tar_name.h"
#include "io/tar_writer.h"

namespace landfall::archive {
namespace {

// A path of a replacement.
struct NewEntry {
  const Replacement* replacement = nullptr;
  std::string path;
  bool is_written = false;
};

// The new paths in the order of the replacements, and by name. Kept apart from the copying.
class NewEntries {
 public:
  Status add(const Replacement& replacement) {
    TRY_ASSIGN(std::vector<std::string> paths, "", item_paths(replacement.key));
    for (std::string& path : paths) {
      if (!numbers_.emplace(path, entries_.size()).second) {
        return fail(Code::kAlreadyExists, "two replacements for " + io::quote_name(path));
      }
      entries_.push_back({&replacement, std::move(path), false});
    }
    return {};
  }

  NewEntry* find(std::string_view path) {
    const auto found = numbers_.find(path);
    return found != numbers_.end() ? &entries_[found->second] : nullptr;
  }
  std::vector<NewEntry>& all() { return entries_; }

 private:
  std::vector<NewEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

Status write_new(NewEntry& entry, WallTime written_at, io::TarWriter& tar) {
  TRY_ASSIGN(const std::string json, "replacement for " + io::quote_name(entry.path), entry.replacement->json());
  TRY("write archive", tar.add({.name = entry.path, .mtime = written_at}, json));
  entry.is_written = true;
  return {};
}

// Everything of the old archive, with the new entries in their places.
Status copy_entries(ArchiveReader& reader, NewEntries& fresh, WallTime written_at, io::TarWriter& tar,
                    RewriteCounts& counts, const OnEntry& on_entry) {
  while (true) {
    TRY_ASSIGN(const ArchiveEntry* entry, "", reader.next());
    if (entry == nullptr) {
      return {};
    }
    if (NewEntry* replaced = fresh.find(entry->name)) {
      TRY("", write_new(*replaced, written_at, tar));
      ++counts.replaced;
    } else {
      TRY_ASSIGN(const std::string_view content, "", reader.content());
      TRY("write archive", tar.add({.name = entry->name, .mtime = entry->mtime, .mode = entry->mode}, content));
      ++counts.copied;
    }
    if (on_entry) {
      on_entry(reader.progress());
    }
  }
}

}  // namespace

Result<RewriteCounts> rewrite_archive(io::Reader& old_archive, std::span<const Replacement> replacements,
                                      const RewriteOptions& options, io::Writer& sink, const std::stop_token& stop,
                                      const OnEntry& on_entry) {
  NewEntries fresh;
  for (const Replacement& replacement : replacements) {
    TRY("", fresh.add(replacement));
  }
  io::GzipWriter gzip(sink, options.gzip);
  io::TarWriter tar(gzip);
  ArchiveReader reader(old_archive, options.limits, stop);
  RewriteCounts counts;
  TRY("", copy_entries(reader, fresh, options.written_at, tar, counts, on_entry));
  for (NewEntry& entry : fresh.all()) {
    if (!entry.is_written) {
      TRY("", write_new(entry, options.written_at, tar));
      ++counts.appended;
    }
  }
  TRY("write archive", tar.close());
  TRY("write archive", gzip.close());
  return counts;
}

}  // namespace landfall::archive
