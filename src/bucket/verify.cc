#include "bucket/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "archive/spooled_archive.h"
#include "base/quote.h"
#include "base/strings.h"
#include "bucket/artifact.h"
#include "bucket/backup_document.h"
#include "bucket/item_census.h"
#include "bucket/verified_reader.h"
#include "io/gzip_reader.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::bucket {
namespace {

using archive::IndexedItem;
using archive::SpooledArchive;
using json::Json;

constexpr std::size_t kMaxUnlisted = 100;
constexpr std::size_t kMaxProblems = 100;  // of one file: a thousand broken items need not all be named

// Whether the bytes are to blame, or whoever was to bring them.
bool is_damage(const Error& error) {
  return error.code() == Code::kDataLoss || error.code() == Code::kInvalid || error.code() == Code::kTooLarge;
}

bool is_over(std::string_view phase) { return phase == "Completed" || phase == "PartiallyFailed" || phase == "Failed"; }

class Verifier {
 public:
  Verifier(BackupStore& store, BackupFolder folder, const VerifyOptions& options, const std::stop_token& stop)
      : store_(store), folder_(std::move(folder)), options_(options), stop_(stop) {
    report_.backup = folder_.name();
  }

  Result<VerifyReport> run() {
    TRY_ASSIGN(const auto files, "", store_.files(folder_.name(), stop_));
    for (const auto& file : files) progress_.bytes_total += file.size.value_or(0);
    TRY("", read_checksums());
    for (const auto& file : files) TRY("", check_file(file.key, file.size));
    check_present();
    if (archive_) TRY("", compare_items());
    return std::move(report_);
  }

 private:
  Status read_checksums() {
    auto checksums = store_.read_checksums(folder_.name(), stop_);
    if (checksums) {
      report_.has_checksums = checksums->has_value();
      checksums_ = checksums->value_or(Checksums());
      return {};
    }
    if (checksums.error().code() == Code::kUnsupported) {
      report_.notes.push_back(checksums.error().message());
      return {};
    }
    if (!is_damage(checksums.error())) return fail("", std::move(checksums).error());
    report_.problems.push_back(checksums.error().message());
    return {};
  }

  Status check_file(const std::string& name, std::optional<std::uint64_t> listed_size) {
    progress_.file = name;
    VerifiedFile file{.name = name};
    const auto artifact = folder_.artifact(name);
    if (!artifact) {
      report_.notes.push_back(fmt::format("{} is not part of the layout", quote(name)));
      return {};
    }
    TRY_ASSIGN(const auto bytes, "", store_.open(folder_.name(), *artifact, stop_));
    VerifiedReader reader(*bytes, [this](std::uint64_t count) { advance(count); });
    Status checked = check_content(*artifact, reader);
    // What a file says may be broken from some place on: its digest is that of all its bytes.
    if (!reader.source_error()) static_cast<void>(drain(reader));
    if (reader.source_error() && !is_damage(*reader.source_error())) return fail(name, *reader.source_error());
    if (!checked && !is_damage(checked.error())) return fail(name, std::move(checked).error());
    if (!checked) file.problems.push_back(checked.error().message());
    check_digest(file, reader.finish());
    if (listed_size && *listed_size != file.size) {
      file.problems.push_back(fmt::format("{} bytes came, the store lists {}", file.size, *listed_size));
    }
    report_.files.push_back(std::move(file));
    return {};
  }

  void check_digest(VerifiedFile& file, const Digest& digest) {
    file.size = digest.size;
    const auto expected = checksums_.files.find(file.name);
    file.has_checksum = expected != checksums_.files.end();
    if (!file.has_checksum || expected->second.fits(digest)) return;
    const Digest& current = expected->second.current;
    file.problems.push_back(current.size == digest.size
                                ? "its SHA-256 is not the one that was recorded"
                                : fmt::format("it has {} bytes, {} were recorded", digest.size, current.size));
  }

  Status check_content(BackupArtifact artifact, io::Reader& reader) {
    switch (form_of(artifact)) {
      case Form::kArchive:
        return check_archive(reader);
      case Form::kGzipText:
        return check_text(reader);
      case Form::kJson:
      case Form::kGzipJson:
        return check_document(artifact, reader);
    }
    return {};
  }

  static Status check_text(io::Reader& reader) {
    io::GzipReader text(reader);
    return drain(text);
  }

  Status check_document(BackupArtifact artifact, io::Reader& reader) {
    TRY_ASSIGN(Json document, "", decode(reader, form_of(artifact)));
    switch (artifact) {
      case BackupArtifact::kMetadata:
        return check_metadata(std::move(document));
      case BackupArtifact::kResourceList: {
        TRY_ASSIGN(census_, "", ItemCensus::from_list(document));
        return {};
      }
      case BackupArtifact::kResults:
        results_ = std::move(document);
        return results_.is_object() ? Status() : fail(Code::kDataLoss, "expected an object of errors and warnings");
      case BackupArtifact::kChecksums:
        return {};  // read before everything else
      default:
        if (document.is_array() || document.is_null()) return {};
        return fail(Code::kDataLoss, "expected a list");
    }
  }

  Status check_metadata(Json document) {
    metadata_ = std::move(document);
    report_.phase = json::string_or(metadata_, {"status", "phase"}, "");
    return check_is_backup(metadata_, folder_);
  }

  Status check_archive(io::Reader& reader) {
    auto read =
        SpooledArchive::read(reader, {.directory = options_.spool_directory, .limits = options_.limits}, stop_, {});
    if (!read) return fail("", std::move(read).error());
    archive_.emplace(*std::move(read));
    report_.items = archive_->index().item_count();
    return {};
  }

  // What must be there, and what was there when the checksums were written.
  void check_present() {
    const auto is_there = [&](const std::string& file) {
      return std::ranges::any_of(report_.files, [&](const VerifiedFile& one) { return one.name == file; });
    };
    const std::string contents = folder_.file(BackupArtifact::kContents);
    if (!is_there(contents)) report_.problems.push_back(contents + " is missing");
    for (const auto& [file, checksum] : checksums_.files) {
      const bool must_be_there = file != contents && !checksum.may_be_absent;
      if (must_be_there && !is_there(file)) report_.problems.push_back(file + " is missing");
    }
    const auto is_unchecked = [&](const VerifiedFile& file) {
      return !file.has_checksum && file.name != folder_.file(BackupArtifact::kChecksums);
    };
    if (const auto count = std::ranges::count_if(report_.files, is_unchecked); report_.has_checksums && count > 0) {
      report_.notes.push_back(fmt::format("{} of the files have no checksum", count));
    }
    if (!report_.phase.empty() && !is_over(report_.phase)) {
      report_.notes.push_back("the backup was not finished when this was written: phase " + report_.phase);
    }
  }

  // Looks into every item, and compares what is there with what should be.
  Status compare_items() {
    std::vector<std::string> broken;
    for (const IndexedItem item : archive_->index().items()) {
      if (stop_.stop_requested()) return fail(Code::kCancelled, "stopped");
      if (const Status checked = check_item(item); !checked) broken.push_back(checked.error().message());
    }
    if (!broken.empty()) add_broken(std::move(broken));
    if (census_) note_absent();
    compare_counts();
    compare_versions();
    return {};
  }

  // Items that failed at backup time have an error that names them, or one that names nothing. Any more are lost.
  void note_absent() {
    std::int64_t unexplained = 0;
    std::int64_t explained = 0;
    for (const ItemCensus::Entry& entry : census_->missing()) {
      report_.absent.push_back({entry.kind, entry.name, recorded_error(results_, entry.kind, entry.name)});
      (report_.absent.back().reason.empty() ? unexplained : explained) += 1;
    }
    if (unexplained == 0 || unexplained <= recorded_errors(results_) - explained) return;
    report_.problems.push_back(fmt::format("{} {} listed, not in the archive, and no error was recorded for {}",
                                           unexplained, unexplained == 1 ? "item is" : "items are",
                                           unexplained == 1 ? "it" : "them"));
  }

  void add_broken(std::vector<std::string> broken) {
    const auto file = std::ranges::find(report_.files, folder_.file(BackupArtifact::kContents), &VerifiedFile::name);
    const std::size_t more = broken.size() - std::min(broken.size(), kMaxProblems);
    broken.resize(std::min(broken.size(), kMaxProblems));
    if (more > 0) broken.push_back(fmt::format("and {} more items", more));
    std::ranges::move(broken, std::back_inserter(file->problems));
  }

  Status check_item(const IndexedItem& item) {
    if (const auto extent = item.content()) {
      TRY_ASSIGN(const Json document, item.path(), read_item(item, *extent));
      const k8s::ObjectView object(document);
      const bool is_listed =
          !census_ || census_->found(object.api_version(), object.kind(), object.name_space(), object.name());
      if (!is_listed) note_unlisted(object);
    }
    for (const archive::ItemVersion& version : item.versions()) TRY(item.path(), check_version(item, version));
    return {};
  }

  // The copy in the directory of the preferred version is the same; others are the object in another version.
  Status check_version(const IndexedItem& item, const archive::ItemVersion& version) {
    if (item.content() == version.content) return {};
    if (version.is_preferred && item.content()) {
      return fail(Code::kDataLoss, fmt::format("its copy in {}-preferredversion is another", version.version));
    }
    TRY_ASSIGN(const Json document, "version " + std::string(version.version), read_item(item, version.content));
    return {};
  }

  Result<Json> read_item(const IndexedItem& item, const archive::Extent& extent) const {
    TRY_ASSIGN(const std::string text, "", archive_->content(extent));
    TRY_ASSIGN(Json document, "", parse_document(text));
    const k8s::ObjectView object(document);
    if (object.kind().empty() || object.api_version().empty()) {
      return fail(Code::kDataLoss, "the object has no kind or no apiVersion");
    }
    if (object.name() != item.name() || object.name_space() != item.namespace_name()) {
      return fail(Code::kDataLoss,
                  fmt::format("this is {} of namespace {}", quote(object.name()), quote(object.name_space())));
    }
    return document;
  }

  void note_unlisted(const k8s::ObjectView& object) {
    if (++report_.unlisted_count > static_cast<std::int64_t>(kMaxUnlisted)) return;
    report_.unlisted.push_back(
        fmt::format("{}/{} {}", object.api_version(), object.kind(), to_string(object.namespaced_name())));
  }

  void compare_versions() {
    const std::string stated = json::string_or(metadata_, {"status", "formatVersion"}, "");
    const std::string& found = archive_->facts().format_version;
    if (!stated.empty() && !found.empty() && stated != found) {
      report_.problems.push_back(fmt::format("the Backup says format {}, the archive {}", quote(stated), quote(found)));
    }
    if (archive_->facts().strange_count > 0) {
      report_.notes.push_back(fmt::format("{} entries of the archive are not part of the layout, for example {}",
                                          archive_->facts().strange_count, quote(archive_->facts().strange.front())));
    }
  }

  // Velero counts an item when it begins with it: those that failed are in the count and in the list.
  void compare_counts() {
    const std::int64_t counted = json::int_or(metadata_, {"status", "progress", "itemsBackedUp"}, -1);
    if (counted < 0) return;
    const std::int64_t failed = json::int_or(metadata_, {"status", "errors"}, 0);
    if (census_ && counted - failed > census_->listed()) {
      report_.problems.push_back(
          fmt::format("the Backup counts {} items, its resource list names {}", counted, census_->listed()));
    } else if (census_ && counted != census_->listed()) {
      report_.notes.push_back(
          fmt::format("the Backup counts {} items, its resource list names {}", counted, census_->listed()));
    }
    if (counted - failed > report_.items) {
      report_.problems.push_back(fmt::format("the Backup counts {} items and {} errors, the archive holds {}", counted,
                                             failed, report_.items));
    }
  }

  void advance(std::uint64_t count) {
    progress_.bytes_done += count;
    if (options_.on_progress) options_.on_progress(progress_);
  }

  BackupStore& store_;
  const BackupFolder folder_;
  const VerifyOptions& options_;
  const std::stop_token& stop_;
  VerifyProgress progress_;
  VerifyReport report_;
  Checksums checksums_;
  Json metadata_;
  Json results_;
  std::optional<ItemCensus> census_;
  std::optional<SpooledArchive> archive_;
};

tl::unexpected<Error> no_such_backup(BackupStore& store, std::string_view name, const std::stop_token& stop) {
  constexpr std::size_t kMaxNamed = 5;
  auto others = store.backups(stop).value_or(std::vector<std::string>());
  const bool has_more = others.size() > kMaxNamed;
  others.resize(std::min(others.size(), kMaxNamed));
  const std::string what = others.empty() ? "none, and no folder " + store.layout().backups()
                                          : join(others, ", ") + (has_more ? " and more" : "");
  return fail(Code::kNotFound, fmt::format("there is no backup {}; there are: {}", name, what));
}

}  // namespace

bool VerifyReport::is_whole() const {
  return problems.empty() && std::ranges::all_of(files, [](const VerifiedFile& file) { return file.problems.empty(); });
}

Result<VerifyReport> verify(BackupStore& store, std::string_view name, const VerifyOptions& options,
                            const std::stop_token& stop) {
  TRY_ASSIGN(BackupFolder folder, "", store.layout().backup(name));
  TRY_ASSIGN(const bool exists, "", store.has_backup(name, stop));
  if (!exists) return no_such_backup(store, name, stop);
  return Verifier(store, std::move(folder), options, stop).run();
}

}  // namespace landfall::bucket
