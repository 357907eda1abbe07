#include "store/filesystem_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/strings.h"
#include "io/file.h"
#include "store/bucket_directory.h"
#include "store/folder.h"
#include "store/object_file.h"
#include "store/object_reader.h"

namespace landfall::store {
namespace {

using extension::ObjectInfo;
using extension::ObjectSource;
using extension::PutOptions;

constexpr std::size_t kChunk = 64UL * 1024;
constexpr int kMaxRaces = 100;  // lost against removals of the same folder

struct KeyParts {
  std::string folder;
  std::string name;
};

KeyParts split_key(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  if (slash == std::string_view::npos) return {.folder = "", .name = std::string(key)};
  return {.folder = std::string(key.substr(0, slash)), .name = std::string(key.substr(slash + 1))};
}

Status check_name(std::string_view key) {
  TRY("", extension::check_key(key));
  if (!io::is_temporary_name(split_key(key).name)) return {};
  return fail(Code::kInvalid, fmt::format("object key {}: such names are those of temporary files", quote(key)));
}

Status go_on(const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  return {};
}

// Where a folder is missing, or something else has its name, there are no objects below it.
bool says_nothing_there(const Error& error) {
  return error.code() == Code::kNotFound || error.code() == Code::kInvalid;
}

Status fill(ObjectFile& file, const ObjectSource& source, const std::stop_token& stop) {
  TRY("", go_on(stop));
  TRY_ASSIGN(const std::unique_ptr<io::Reader> reader, "read what is to be stored", source.open());
  std::array<char, kChunk> chunk{};
  std::uint64_t total = 0;
  while (true) {
    TRY_ASSIGN(const std::size_t got, "read what is to be stored", reader->read(chunk));
    TRY("", go_on(stop));
    if (got == 0) break;
    TRY("", file.write(std::string_view(chunk.data(), got)));
    total += got;
  }
  if (const auto size = source.size(); size && *size != total) {
    return fail(Code::kDataLoss, fmt::format("{} bytes were announced, {} came", *size, total));
  }
  return {};
}

// The temporary file for an object, in its folder, which is created unless another removes it all the time.
Result<ObjectFile> start_object(int bucket, const std::string& folder) {
  bool is_new = false;
  for (int race = 0; race < kMaxRaces; ++race) {
    auto directory = open_folder(bucket, folder, is_new ? IfMissing::kCreate : IfMissing::kFail);
    if (!directory && directory.error().code() == Code::kNotFound) {
      is_new = true;
      continue;
    }
    if (!directory) return tl::unexpected(std::move(directory).error());
    auto file = ObjectFile::create(*std::move(directory));
    if (!file && file.error().code() == Code::kNotFound) continue;
    // Only now: from here on nobody can remove the folder, and before every moment counts.
    if (file && is_new) TRY("", sync_path(bucket, folder));
    return file;
  }
  return fail(Code::kUnavailable, "its folder is removed again and again while it is created");
}

class FilesystemStore final : public extension::ObjectStore {
 public:
  FilesystemStore(BucketDirectory directory, Logger log) : directory_(std::move(directory)), log_(std::move(log)) {}

  extension::StoreCapabilities capabilities() const override {
    return {.keeps_empty_objects = true,
            .lists_sizes = true,
            .signs_urls = false,
            .creates_if_absent = true,
            .longest_part = 255};
  }

  Status put(std::string_view key, const ObjectSource& source, const PutOptions& options,
             const std::stop_token& stop) override;
  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& stop) override;
  Result<bool> exists(std::string_view key, const std::stop_token& stop) override;
  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) override;
  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& stop) override;
  Status remove(std::span<const std::string> keys, const std::stop_token& stop) override;
  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& stop) override;
  // Of the whole directory: what puts leave is known by its name.
  Result<std::size_t> sweep(std::string_view prefix, WallTime begun_before, const std::stop_token& stop) override;

 private:
  Status remove_one(int bucket, const std::string& key) const;
  Result<FolderContent> read(int bucket, const std::string& folder, std::string_view name_prefix,
                             const std::stop_token& stop) const;
  Status walk(int bucket, const std::string& folder, std::string_view name_prefix, const Visit& visit,
              const std::stop_token& stop) const;
  Result<bool> has_objects(int bucket, const std::string& folder, const std::stop_token& stop) const;

  const BucketDirectory directory_;
  const Logger log_;
};

Status FilesystemStore::put(std::string_view key, const ObjectSource& source, const PutOptions& options,
                            const std::stop_token& stop) {
  TRY("", check_name(key));
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  const KeyParts parts = split_key(key);
  const Status stored = [&]() -> Status {
    TRY("", go_on(stop));
    TRY_ASSIGN(ObjectFile file, "", start_object(bucket.get(), parts.folder));
    TRY("", fill(file, source, stop));
    return file.publish(parts.name, options.if_absent);
  }();
  if (stored) return {};
  remove_empty_folders(bucket.get(), parts.folder);
  return fail("store in " + directory_.naming(key), stored.error());
}

Result<std::unique_ptr<io::Reader>> FilesystemStore::get(std::string_view key, const std::stop_token& stop) {
  TRY("", check_name(key));
  TRY(directory_.naming(key), go_on(stop));
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  const KeyParts parts = split_key(key);
  const auto folder = open_folder(bucket.get(), parts.folder, IfMissing::kFail);
  if (!folder && says_nothing_there(folder.error())) return no_such_object(directory_.naming(key));
  if (!folder) return fail(directory_.naming(key), folder.error());
  return ObjectReader::open(folder->get(), parts.name, directory_.naming(key), stop);
}

Result<bool> FilesystemStore::exists(std::string_view key, const std::stop_token& stop) {
  TRY("", check_name(key));
  TRY(directory_.naming(key), go_on(stop));
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  const KeyParts parts = split_key(key);
  const auto folder = open_folder(bucket.get(), parts.folder, IfMissing::kFail);
  if (!folder && says_nothing_there(folder.error())) return false;
  if (!folder) return fail(directory_.naming(key), folder.error());
  TRY_ASSIGN(const auto size, directory_.naming(key), object_size(folder->get(), parts.name));
  return size.has_value();
}

Status FilesystemStore::list(std::string_view prefix, const Visit& visit, const std::stop_token& stop) {
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  TRY("list directory " + directory_.path(), go_on(stop));
  const KeyParts parts = split_key(prefix);
  // No key begins with what cannot be a folder: "/", "a//", "../".
  if (contains(prefix, "/") && !extension::check_key(parts.folder)) return {};
  return walk(bucket.get(), parts.folder, parts.name, visit, stop);
}

// What is in a folder, or nothing where there is none.
Result<FolderContent> FilesystemStore::read(int bucket, const std::string& folder, std::string_view name_prefix,
                                            const std::stop_token& stop) const {
  const auto directory = open_folder(bucket, folder, IfMissing::kFail);
  if (!directory && says_nothing_there(directory.error())) return FolderContent();
  if (!directory) return fail("list " + directory_.naming_folder(folder), directory.error());
  TRY_ASSIGN(FolderContent content, "list " + directory_.naming_folder(folder),
             read_folder(directory->get(), name_prefix, stop));
  if (content.skipped > 0) {
    log_.warning("files whose names cannot be object keys are left out", {{"directory", directory_.path()},
                                                                          {"folder", folder},
                                                                          {"files", content.skipped},
                                                                          {"example", quote(content.skipped_name)}});
  }
  return content;
}

// As deep as a key has parts, which are at most 512.
Status FilesystemStore::walk(int bucket, const std::string& folder, std::string_view name_prefix, const Visit& visit,
                             const std::stop_token& stop) const {
  TRY_ASSIGN(const FolderContent content, "", read(bucket, folder, name_prefix, stop));
  for (const FolderEntry& entry : content.entries) {
    TRY("list directory " + directory_.path(), go_on(stop));
    std::string key = folder.empty() ? entry.name : folder + "/" + entry.name;
    if (entry.is_folder()) key.pop_back();
    if (!extension::check_key(key)) {
      log_.warning("a file whose path is too long for an object key is left out",
                   {{"directory", directory_.path()}, {"file", quote(key)}});
    } else if (entry.is_folder()) {
      TRY("", walk(bucket, key, "", visit, stop));
    } else {
      TRY("", visit({.key = std::move(key), .size = entry.size}));
    }
  }
  return {};
}

Result<bool> FilesystemStore::has_objects(int bucket, const std::string& folder, const std::stop_token& stop) const {
  bool found = false;
  const Status walked = walk(
      bucket, folder, "",
      [&](const ObjectInfo&) -> Status {
        found = true;
        return fail(Code::kCancelled, "one is enough");
      },
      stop);
  if (!walked && !found) return tl::unexpected(walked.error());
  return found;
}

Result<std::vector<std::string>> FilesystemStore::folders(std::string_view prefix, const std::stop_token& stop) {
  if (!prefix.empty() && !prefix.ends_with('/')) {
    return fail(Code::kInvalid, fmt::format("folders below {}: it must end in \"/\"", quote(prefix)));
  }
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  TRY("list directory " + directory_.path(), go_on(stop));
  const std::string folder = split_key(prefix).folder;
  std::vector<std::string> names;
  if (!prefix.empty() && !extension::check_key(folder)) return names;
  TRY_ASSIGN(const FolderContent content, "", read(bucket.get(), folder, "", stop));
  for (const FolderEntry& entry : content.entries) {
    if (!entry.is_folder()) continue;
    std::string below = std::string(prefix) + entry.name;
    TRY_ASSIGN(const bool counts, "", has_objects(bucket.get(), below.substr(0, below.size() - 1), stop));
    if (counts) names.push_back(std::move(below));
  }
  return names;
}

Status FilesystemStore::remove(std::span<const std::string> keys, const std::stop_token& stop) {
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  Status first;
  for (const std::string& key : keys) {
    TRY("remove " + directory_.naming(key), go_on(stop));
    Status removed = remove_one(bucket.get(), key);
    if (!removed && first) first = std::move(removed);
  }
  return first;
}

Status FilesystemStore::remove_one(int bucket, const std::string& key) const {
  TRY("", check_name(key));
  const KeyParts parts = split_key(key);
  const auto folder = open_folder(bucket, parts.folder, IfMissing::kFail);
  if (!folder && says_nothing_there(folder.error())) return {};
  if (!folder) return fail("remove " + directory_.naming(key), folder.error());
  TRY_ASSIGN(const auto size, "remove " + directory_.naming(key), object_size(folder->get(), parts.name));
  if (!size) return {};
  if (::unlinkat(folder->get(), parts.name.c_str(), 0) != 0 && errno != ENOENT) {
    return tl::unexpected(io::errno_error("remove " + directory_.naming(key), errno));
  }
  remove_empty_folders(bucket, parts.folder);
  return {};
}

Result<std::string> FilesystemStore::signed_url(std::string_view key, std::chrono::seconds /*valid_for*/,
                                                const std::stop_token& /*stop*/) {
  TRY("", check_name(key));
  return fail(Code::kUnsupported, directory_.naming(key) + ": a directory has no URLs that others could use");
}

// Depth first; how deep is up to the directory, so it goes by a list of what is still to be seen.
Result<std::size_t> sweep_folders(int bucket, std::int64_t written_before, const std::stop_token& stop) {
  std::size_t removed = 0;
  std::vector<std::string> to_see{""};
  while (!to_see.empty()) {
    const std::string folder = std::move(to_see.back());
    to_see.pop_back();
    const auto directory = open_folder(bucket, folder, IfMissing::kFail);
    if (!directory && says_nothing_there(directory.error())) continue;
    if (!directory) return tl::unexpected(directory.error());
    TRY_ASSIGN(const FolderContent content, quote(folder), read_folder(directory->get(), "", stop));
    for (const FolderEntry& entry : content.entries) {
      if (!entry.is_folder()) continue;
      std::string below = (folder.empty() ? "" : folder + "/") + entry.name;
      below.pop_back();
      if (extension::check_key(below)) to_see.push_back(std::move(below));
    }
    for (const std::string& name : content.temporaries) {
      TRY_ASSIGN(const bool dead, quote(folder), remove_dead_temporary(directory->get(), name, written_before));
      removed += dead ? 1 : 0;
    }
    if (!content.temporaries.empty()) remove_empty_folders(bucket, folder);
  }
  return removed;
}

Result<std::size_t> FilesystemStore::sweep(std::string_view /*prefix*/, WallTime begun_before,
                                           const std::stop_token& stop) {
  TRY_ASSIGN(const io::Descriptor bucket, "", directory_.open());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(begun_before).time_since_epoch().count();
  TRY_ASSIGN(const std::size_t removed, "sweep directory " + directory_.path(),
             sweep_folders(bucket.get(), seconds, stop));
  return removed;
}

}  // namespace

Result<std::unique_ptr<extension::ObjectStore>> open_filesystem(const StoreConfig& config, const Logger& log) {
  TRY_ASSIGN(BucketDirectory directory, "", BucketDirectory::of(config));
  TRY("", directory.open());
  return std::make_unique<FilesystemStore>(std::move(directory), log);
}

Status make_bucket(const std::string& path, const std::string& bucket) {
  TRY_ASSIGN(const BucketDirectory directory, "", BucketDirectory::at(path, bucket));
  return directory.create();
}

}  // namespace landfall::store
