#include "bucket/backup_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "bucket/backup_document.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::bucket {
namespace {

using extension::BytesSource;
using extension::ObjectInfo;
using extension::PutOptions;
using json::Json;

// How many unknown folders an error names.
constexpr std::size_t kMaxNamed = 3;

Result<std::optional<Json>> read_key(extension::ObjectStore& store, const std::string& key, Form form,
                                     const std::stop_token& stop) {
  auto reader = store.get(key, stop);
  if (!reader && reader.error().code() == Code::kNotFound) return std::nullopt;
  if (!reader) return fail("", std::move(reader).error());
  TRY_ASSIGN(Json document, key, decode(**reader, form));
  return document;
}

// The checksums with the digests of what is about to be written.
Result<Checksums> announced(const BackupFolder& folder, Checksums checksums, const std::string& metadata,
                            const std::vector<NewArtifact>& artifacts) {
  for (const NewArtifact& one : artifacts) {
    const std::string file = folder.file(one.artifact);
    TRY_ASSIGN(Digest digest, file, digest_of(one.source));
    checksums.announce(file, std::move(digest));
  }
  TRY_ASSIGN(Digest digest, "", digest_of(BytesSource(metadata)));
  checksums.announce(folder.file(BackupArtifact::kMetadata), std::move(digest));
  return checksums;
}

void settle(const BackupFolder& folder, const std::vector<NewArtifact>& artifacts, Checksums& checksums) {
  for (const NewArtifact& one : artifacts) checksums.settle(folder.file(one.artifact));
  checksums.settle(folder.file(BackupArtifact::kMetadata));
}

}  // namespace

Status BackupStore::check_top_level(const std::stop_token& stop) {
  TRY_ASSIGN(const auto names, "", names_in(layout_.root(), stop));
  std::vector<std::string> strange;
  std::ranges::remove_copy_if(names, std::back_inserter(strange), is_known_top_folder);
  if (strange.empty()) return {};
  const std::size_t more = strange.size() - std::min(strange.size(), kMaxNamed);
  strange.resize(std::min(strange.size(), kMaxNamed));
  return fail(Code::kInvalid,
              fmt::format("the bucket holds folders that are not of backups: {}{}; set a prefix to share it",
                          join(strange, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
}

Result<std::vector<std::string>> BackupStore::names_in(const std::string& folder, const std::stop_token& stop) {
  TRY_ASSIGN(std::vector<std::string> names, "", store_.folders(folder, stop));
  for (std::string& name : names) name = name.substr(folder.size(), name.size() - folder.size() - 1);
  return names;
}

Result<std::vector<std::string>> BackupStore::backups(const std::stop_token& stop) {
  return names_in(layout_.backups(), stop);
}

Result<std::vector<std::string>> BackupStore::restores(const std::stop_token& stop) {
  return names_in(layout_.restores(), stop);
}

Result<bool> BackupStore::has_backup(std::string_view name, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  return store_.exists(folder.key(BackupArtifact::kMetadata), stop);
}

Status BackupStore::check_name(std::string_view name) const {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  const std::size_t longest = store_.capabilities().longest_part;
  const std::size_t needed = folder.file(BackupArtifact::kVolumePluginBackups).size();
  if (needed <= longest) return {};
  return fail(Code::kInvalid, fmt::format("the name is too long for this location: its files would have names of {} "
                                          "bytes, and {} are possible; take {} off",
                                          needed, longest, needed - longest));
}

Result<Json> BackupStore::read_backup(std::string_view name, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  const std::string key = folder.key(BackupArtifact::kMetadata);
  TRY_ASSIGN(auto document, "", read_key(store_, key, Form::kJson, stop));
  if (!document) return fail(Code::kNotFound, fmt::format("there is no backup {}: {} is missing", name, key));
  TRY("", check_is_backup(*document, folder));
  return *std::move(document);
}

Result<std::optional<Json>> BackupStore::read(std::string_view name, BackupArtifact artifact,
                                              const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  return read_key(store_, folder.key(artifact), form_of(artifact), stop);
}

Result<std::optional<Json>> BackupStore::read(std::string_view name, RestoreArtifact artifact,
                                              const std::stop_token& stop) {
  TRY_ASSIGN(const RestoreFolder folder, "", layout_.restore(name));
  TRY_ASSIGN(auto document, "", read_key(store_, folder.key(artifact), form_of(artifact), stop));
  const auto other = folder.other_file(artifact);
  if (document || !other) return document;
  auto reader = store_.get(folder.path() + *other, stop);
  if (!reader && reader.error().code() == Code::kNotFound) return std::nullopt;
  if (!reader) return fail("", std::move(reader).error());
  TRY_ASSIGN(document, folder.path() + *other, decode_any(**reader));
  return document;
}

Result<std::unique_ptr<io::Reader>> BackupStore::open(std::string_view name, BackupArtifact artifact,
                                                      const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  return store_.get(folder.key(artifact), stop);
}

Result<std::unique_ptr<io::Reader>> BackupStore::open(std::string_view name, RestoreArtifact artifact,
                                                      const std::stop_token& stop) {
  TRY_ASSIGN(const RestoreFolder folder, "", layout_.restore(name));
  auto found = store_.get(folder.key(artifact), stop);
  const auto other = folder.other_file(artifact);
  if (found || found.error().code() != Code::kNotFound || !other) return found;
  auto instead = store_.get(folder.path() + *other, stop);
  // What is missing goes by its first name.
  if (!instead && instead.error().code() == Code::kNotFound) return found;
  return instead;
}

Result<std::string> BackupStore::file_name(std::string_view name, RestoreArtifact artifact,
                                           const std::stop_token& stop) {
  TRY_ASSIGN(const RestoreFolder folder, "", layout_.restore(name));
  const auto other = folder.other_file(artifact);
  if (!other) return folder.file(artifact);
  TRY_ASSIGN(const bool is_there, "", store_.exists(folder.key(artifact), stop));
  if (is_there) return folder.file(artifact);
  TRY_ASSIGN(const bool is_instead, "", store_.exists(folder.path() + *other, stop));
  return is_instead ? *other : folder.file(artifact);
}

Result<std::optional<Checksums>> BackupStore::read_checksums(std::string_view name, const std::stop_token& stop) {
  TRY_ASSIGN(const auto document, "", read(name, BackupArtifact::kChecksums, stop));
  if (!document) return std::nullopt;
  TRY_ASSIGN(Checksums checksums, "", checksums_from_json(*document));
  return checksums;
}

Result<std::vector<ObjectInfo>> BackupStore::files(std::string_view name, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  std::vector<ObjectInfo> out;
  const auto add = [&](const ObjectInfo& info) -> Status {
    // Consoles make objects that stand for folders.
    if (!info.key.ends_with('/')) out.push_back({info.key.substr(folder.path().size()), info.size});
    return {};
  };
  TRY("", store_.list(folder.path(), add, stop));
  return out;
}

Status BackupStore::put_checksums(const BackupFolder& folder, const Checksums& checksums, const std::stop_token& stop) {
  const std::string text = encode(to_json(checksums), Form::kJson);
  return store_.put(folder.key(BackupArtifact::kChecksums), BytesSource(text), {}, stop);
}

Status BackupStore::put_all(const BackupFolder& folder, const Json& backup, const std::vector<NewArtifact>& artifacts,
                            const std::stop_token& stop) {
  for (const NewArtifact& one : artifacts) TRY("", store_.put(folder.key(one.artifact), one.source, {}, stop));
  const std::string metadata = encode(backup, Form::kJson);
  TRY_ASSIGN(Checksums checksums, "", announced(folder, {}, metadata, artifacts));
  settle(folder, artifacts, checksums);
  // The Backup last, so that there is none without its checksums, whenever we die.
  TRY("", put_checksums(folder, checksums, stop));
  return put_new(folder.key(BackupArtifact::kMetadata), metadata, stop);
}

// Where the store can decide it, someone else's backup that has appeared meanwhile is not replaced. That does not make
// two writers of one name safe: their other artifacts have met already.
Status BackupStore::put_new(const std::string& key, const std::string& bytes, const std::stop_token& stop) {
  const PutOptions options{.if_absent = store_.capabilities().creates_if_absent};
  Status put = store_.put(key, BytesSource(bytes), options, stop);
  if (put || put.error().code() != Code::kAlreadyExists) return put;
  // It may be our own, from a first try whose answer was lost.
  TRY_ASSIGN(const auto reader, "", store_.get(key, stop));
  TRY_ASSIGN(const std::string found, key, io::read_all(*reader, kMaxDocument));
  if (found == bytes) return {};
  return put;
}

Status BackupStore::create(std::string_view name, const Json& backup, const std::vector<NewArtifact>& artifacts,
                           const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  TRY("write backup", check_is_backup(backup, folder));
  TRY_ASSIGN(const bool is_taken, "write backup", has_backup(name, stop));
  if (is_taken) {
    return fail(Code::kAlreadyExists, fmt::format("write backup: the bucket holds a backup {} already", name));
  }
  // What an attempt left that died must not become a part of this one.
  TRY("write backup", remove_folder(folder.path(), folder.key(BackupArtifact::kChecksums), stop));
  Status written = put_all(folder, backup, artifacts, stop);
  if (written) return written;
  // Someone else's backup is not ours to remove.
  if (written.error().code() == Code::kAlreadyExists) return fail("write backup", std::move(written).error());
  // Also after a cancellation: that is what it asks for.
  if (const Status removed = remove_backup(name, {}); !removed) {
    return fail("write backup",
                Error(written.error().code(), fmt::format("{}; what was written could not be removed: {}",
                                                          written.error().message(), removed.error().message())));
  }
  return fail("write backup", std::move(written).error());
}

Status BackupStore::keep_log(std::string_view name, const extension::ObjectSource& log, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  return store_.put(folder.key(BackupArtifact::kLog), log, {}, stop);
}

Status BackupStore::rewrite(std::string_view name, const Json& backup, const std::vector<NewArtifact>& artifacts,
                            const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  TRY("rewrite backup", check_is_backup(backup, folder));
  TRY_ASSIGN(std::optional<Checksums> checksums, "rewrite backup", read_checksums(name, stop));
  const std::string metadata = encode(backup, Form::kJson);
  if (checksums) {
    TRY_ASSIGN(checksums, "rewrite backup", announced(folder, *std::move(checksums), metadata, artifacts));
    TRY("rewrite backup", put_checksums(folder, *checksums, stop));
  }
  for (const NewArtifact& one : artifacts) {
    TRY("rewrite backup", store_.put(folder.key(one.artifact), one.source, {}, stop));
  }
  TRY("rewrite backup", store_.put(folder.key(BackupArtifact::kMetadata), BytesSource(metadata), {}, stop));
  if (!checksums) return {};
  settle(folder, artifacts, *checksums);
  TRY("rewrite backup", put_checksums(folder, *checksums, stop));
  return {};
}

Status BackupStore::write(std::string_view name, RestoreArtifact artifact, const extension::ObjectSource& source,
                          const std::stop_token& stop) {
  TRY_ASSIGN(const RestoreFolder folder, "", layout_.restore(name));
  return store_.put(folder.key(artifact), source, {}, stop);
}

Status BackupStore::write(std::string_view name, RestoreArtifact artifact, const Json& document,
                          const std::stop_token& stop) {
  const std::string bytes = encode(document, form_of(artifact));
  return write(name, artifact, BytesSource(bytes), stop);
}

Status BackupStore::remove_folder(const std::string& folder, const std::string& first, const std::stop_token& stop) {
  std::vector<std::string> keys;
  const auto add = [&](const ObjectInfo& info) -> Status {
    keys.push_back(info.key);
    return {};
  };
  TRY("", store_.list(folder, add, stop));
  if (std::erase(keys, first) > 0) TRY("", store_.remove(std::vector{first}, stop));
  if (keys.empty()) return {};
  // Backwards, so that an object that stands for a folder goes after what is in it.
  std::ranges::reverse(keys);
  return store_.remove(keys, stop);
}

Status BackupStore::remove_backup(std::string_view name, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  TRY(fmt::format("remove backup {}", name), remove_folder(folder.path(), folder.key(BackupArtifact::kMetadata), stop));
  return {};
}

Status BackupStore::remove_restore(std::string_view name, const std::stop_token& stop) {
  TRY_ASSIGN(const RestoreFolder folder, "", layout_.restore(name));
  TRY(fmt::format("remove restore {}", name), remove_folder(folder.path(), "", stop));
  return {};
}

Result<std::string> BackupStore::signed_url(std::string_view name, BackupArtifact artifact,
                                            std::chrono::seconds valid_for, const std::stop_token& stop) {
  TRY_ASSIGN(const BackupFolder folder, "", layout_.backup(name));
  return store_.signed_url(folder.key(artifact), valid_for, stop);
}

Result<std::string> BackupStore::signed_url(std::string_view name, RestoreArtifact artifact,
                                            std::chrono::seconds valid_for, const std::stop_token& stop) {
  TRY_ASSIGN(const RestoreFolder folder, "", layout_.restore(name));
  auto url = store_.signed_url(folder.key(artifact), valid_for, stop);
  if (!url || !folder.other_file(artifact)) return url;
  // A store that cannot be asked signs all the same: then the address says what is wrong.
  const auto file = file_name(name, artifact, stop);
  if (!file || *file == folder.file(artifact)) return url;
  return store_.signed_url(folder.path() + *file, valid_for, stop);
}

Result<std::size_t> BackupStore::sweep(WallTime begun_before, const std::stop_token& stop) {
  TRY_ASSIGN(const std::size_t of_backups, "", store_.sweep(layout_.backups(), begun_before, stop));
  TRY_ASSIGN(const std::size_t of_restores, "", store_.sweep(layout_.restores(), begun_before, stop));
  return of_backups + of_restores;
}

}  // namespace landfall::bucket
