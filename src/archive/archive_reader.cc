#include "archive/archive_reader.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "io/tar_name.h"

namespace landfall::archive {
namespace {

constexpr std::size_t kStrangeShown = 10;
constexpr std::size_t kVersionLength = 64;
// What a content may take before any of it was seen.
constexpr std::size_t kFirstBuffer = 1UL << 20U;

io::GzipLimits gzip_limits(const ArchiveLimits& limits) {
  return {.output = limits.total_size, .ratio = limits.ratio, .ratio_from = limits.ratio_from};
}

io::TarLimits tar_limits(const ArchiveLimits& limits) {
  return {.name_length = limits.name_length,
          .entry_size = limits.item_size,
          .entries = limits.entries,
          .total_size = limits.total_size};
}

}  // namespace

ArchiveReader::ArchiveReader(io::Reader& archive, const ArchiveLimits& limits, std::stop_token stop)
    : stop_(std::move(stop)), gzip_(archive, gzip_limits(limits)), tar_(gzip_, tar_limits(limits)) {}

Result<const ArchiveEntry*> ArchiveReader::next() {
  if (broken_) {
    return tl::unexpected(*broken_);
  }
  auto entry = read_next();
  if (!entry) {
    broken_ = entry.error();
  }
  return entry;
}

Result<const ArchiveEntry*> ArchiveReader::read_next() {
  while (true) {
    if (stop_.stop_requested()) {
      return fail(Code::kCancelled, "archive: stopped");
    }
    content_size_.reset();
    TRY_ASSIGN(const io::TarEntry* raw, "archive", tar_.next());
    if (raw == nullptr) {
      return nullptr;
    }
    TRY_ASSIGN(const bool is_file, "archive", accept(*raw));
    if (is_file) {
      ++entries_;
      return &entry_;
    }
  }
}

// False for an entry that is passed over.
Result<bool> ArchiveReader::accept(const io::TarEntry& raw) {
  if (!is_valid_utf8(raw.name)) {
    return fail(Code::kInvalid, "entry " + io::quote_name(raw.name) + ": its name is not UTF-8");
  }
  if (raw.type == io::TarEntryType::kDirectory && (raw.name == "." || raw.name == "./")) {
    return false;  // tar writes one when it packs the current directory
  }
  TRY_ASSIGN(entry_.name, "", io::safe_relative_name(raw.name));
  if (raw.type == io::TarEntryType::kDirectory) {
    return false;
  }
  if (raw.type != io::TarEntryType::kFile) {
    return fail(Code::kInvalid, "entry " + io::quote_name(raw.name) + " is a " + std::string(to_string(raw.type)) +
                                    ": an archive of a backup holds only files");
  }
  entry_.size = raw.size;
  entry_.mode = raw.mode;
  entry_.mtime = raw.mtime;
  entry_.item.reset();
  if (entry_.name == kVersionFile) {
    TRY(kVersionFile, read_format_version());
  } else if (auto item = parse_item_path(entry_.name)) {
    entry_.item = *std::move(item);
  } else {
    note_strange();
  }
  return true;
}

Status ArchiveReader::read_format_version() {
  if (entry_.size > kVersionLength) {
    return fail(Code::kTooLarge, "more than " + std::to_string(kVersionLength) + " bytes");
  }
  TRY_ASSIGN(const std::string_view text, "", content());
  const std::string version(trim(text));
  if (!facts_.format_version.empty() && facts_.format_version != version) {
    return fail(Code::kInvalid, "two format versions, " + quote(facts_.format_version) + " and " + quote(version));
  }
  facts_.format_version = version;
  return {};
}

void ArchiveReader::note_strange() {
  ++facts_.strange_count;
  if (facts_.strange.size() < kStrangeShown) {
    facts_.strange.push_back(entry_.name);
  }
}

Result<std::string_view> ArchiveReader::content() {
  if (!content_size_) {
    std::size_t have = 0;
    while (have < entry_.size) {
      if (have == buffer_.size()) {
        buffer_.resize(std::min(entry_.size, std::max<std::uint64_t>(2 * have, kFirstBuffer)));
      }
      const std::size_t room = std::min<std::uint64_t>(buffer_.size(), entry_.size) - have;
      TRY_ASSIGN(const std::size_t got, "archive", tar_.content().read(std::span(buffer_).subspan(have, room)));
      have += got;  // never 0 before the end: a cut archive is the reader's error
    }
    content_size_ = have;
  }
  return std::string_view(buffer_).substr(0, *content_size_);
}

}  // namespace landfall::archive
