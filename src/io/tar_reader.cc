#include "io/tar_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/clock.h"
#include "io/tar_name.h"

namespace landfall::io {
namespace {

constexpr std::size_t kBufferSize = 64UL * 1024;
// Of one extended header: enough for every name and the access lists that other programs put there.
constexpr std::int64_t kMaxExtendedSize = 1L << 20U;

std::uint64_t padding_of(std::uint64_t size) { return (kTarBlockSize - size % kTarBlockSize) % kTarBlockSize; }

TarEntryType type_of(char flag, std::string_view name) {
  switch (flag) {
    case '0':
    case '\0':
    case '7':  // "contiguous", which no system of today has
      // From before directories had a flag of their own.
      return name.ends_with('/') ? TarEntryType::kDirectory : TarEntryType::kFile;
    case '1':
      return TarEntryType::kHardLink;
    case '2':
      return TarEntryType::kSymbolicLink;
    case '3':
    case '4':
      return TarEntryType::kDevice;
    case '5':
      return TarEntryType::kDirectory;
    case '6':
      return TarEntryType::kFifo;
    default:
      return TarEntryType::kOther;
  }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// "1767225600.25": the fraction is dropped, towards the past.
std::optional<std::int64_t> pax_seconds(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  if (fraction.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  auto seconds = whole_number(text.substr(0, point));
  const bool has_fraction = fraction.find_first_not_of('0') != std::string_view::npos;
  if (seconds && has_fraction && text.starts_with('-') && *seconds > INT64_MIN) {
    --*seconds;
  }
  return seconds;
}

bool is_sparse_key(std::string_view key) { return key.starts_with("GNU.sparse."); }

bool fits_wall_time(std::int64_t seconds) {
  using std::chrono::duration_cast;
  return seconds < duration_cast<std::chrono::seconds>(WallTime::max().time_since_epoch()).count() &&
         seconds > duration_cast<std::chrono::seconds>(WallTime::min().time_since_epoch()).count();
}

}  // namespace

std::string_view to_string(TarEntryType type) {
  switch (type) {
    case TarEntryType::kFile:
      return "file";
    case TarEntryType::kDirectory:
      return "directory";
    case TarEntryType::kHardLink:
      return "hard link";
    case TarEntryType::kSymbolicLink:
      return "symbolic link";
    case TarEntryType::kDevice:
      return "device";
    case TarEntryType::kFifo:
      return "fifo";
    case TarEntryType::kOther:
      break;
  }
  return "entry of an unknown type";
}

TarReader::TarReader(Reader& source, TarLimits limits) : source_(source), limits_(limits), buffer_(kBufferSize) {}

Result<const TarEntry*> TarReader::next() {
  if (broken_) {
    return tl::unexpected(*broken_);
  }
  if (ended_) {
    return nullptr;
  }
  auto more = read_entry();
  if (!more) {
    broken_ = more.error();
    content_left_ = 0;
    return tl::unexpected(*broken_);
  }
  return *more ? &entry_ : nullptr;
}

Result<bool> TarReader::read_entry() {
  TRY("", skip(content_left_ + padding_));
  content_left_ = 0;
  padding_ = 0;
  std::uint64_t start = position_;
  Extension extension;
  while (true) {
    const std::uint64_t at = position_;
    TarBlock block;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the next line
    TRY_ASSIGN(const bool more, "", read_block(block));
    if (!more) {
      return failure(Code::kDataLoss, at, "the archive is cut: its end mark is missing");
    }
    if (is_zero_block(block)) {
      if (!extension.empty()) {
        return failure(Code::kDataLoss, at, "the archive ends after an extended header");
      }
      TRY("", read_trailer());
      ended_ = true;
      return false;
    }
    auto header = decode_tar_header(block);
    if (!header) {
      return failure(header.error().code(), at, header.error().message());
    }
    switch (header->type) {
      case kTarPax:
      case kTarPaxGlobal:
      case kTarGnuLongName:
      case kTarGnuLongLink:
        TRY("", read_extension(*header, extension));
        if (extension.empty()) {
          start = position_;  // a global header belongs to no entry
        }
        continue;
      default:
        break;
    }
    entry_.header_offset = start;
    TRY("", fill_entry(*std::move(header), std::move(extension)));
    return true;
  }
}

Status TarReader::read_extension(const TarHeader& header, Extension& extension) {
  const std::uint64_t at = position_ - kTarBlockSize;
  TRY_ASSIGN(std::string data, "", read_extended_data(header.size));
  Status understood;
  bool repeated = false;
  if (header.type == kTarPaxGlobal) {
    understood = check_global(data);
  } else if (header.type == kTarPax) {
    repeated = std::exchange(extension.has_pax, true);
    understood = apply_pax(data, extension);
  } else {
    auto& target = header.type == kTarGnuLongName ? extension.name : extension.link;
    repeated = target.has_value();
    data.resize(std::min(data.find('\0'), data.size()));
    target = std::move(data);
  }
  if (!understood) {
    return failure(understood.error().code(), at, understood.error().message());
  }
  if (repeated) {
    return failure(Code::kDataLoss, at, "two extended headers for one entry");
  }
  return {};
}

Status TarReader::apply_pax(std::string_view data, Extension& extension) const {
  TRY_ASSIGN(const auto records, "", parse_pax_records(data));
  for (const PaxRecord& record : records) {
    const auto& [key, value] = record;
    if (is_sparse_key(key)) {
      return fail(Code::kUnsupported, "a sparse file");
    }
    // An empty value means: as if the record were not there.
    if (key == "path" || key == "linkpath") {
      if (value.find('\0') != std::string_view::npos) {
        return fail(Code::kDataLoss, "a name with a NUL byte in an extended header");
      }
      (key == "path" ? extension.name : extension.link) =
          value.empty() ? std::nullopt : std::optional(std::string(value));
    } else if (key == "size" || key == "mtime") {
      const auto number = key == "size" ? whole_number(value) : pax_seconds(value);
      if (!value.empty() && (!number || (key == "size" && *number < 0))) {
        return fail(Code::kDataLoss, "a wrong " + std::string(key) + " in an extended header");
      }
      (key == "size" ? extension.size : extension.mtime) = value.empty() ? std::nullopt : number;
    }
  }
  return {};
}

// A header for all later entries is fine as long as it only carries remarks, as git's does.
Status TarReader::check_global(std::string_view data) const {
  TRY_ASSIGN(const auto records, "", parse_pax_records(data));
  for (const PaxRecord& record : records) {
    if (record.key == "path" || record.key == "linkpath" || record.key == "size" || is_sparse_key(record.key)) {
      return fail(Code::kUnsupported, "a global header that changes the " + std::string(record.key) + " of entries");
    }
  }
  return {};
}

Status TarReader::fill_entry(TarHeader header, Extension extension) {
  const std::uint64_t at = position_ - kTarBlockSize;
  entry_.name = std::move(extension.name).value_or(std::move(header.name));
  entry_.link = std::move(extension.link).value_or(std::move(header.link));
  entry_.type = type_of(header.type, entry_.name);
  entry_.mode = header.mode;
  entry_.size = static_cast<std::uint64_t>(extension.size.value_or(header.size));
  const std::int64_t mtime = extension.mtime.value_or(header.mtime);
  entry_.mtime = std::chrono::sys_seconds(std::chrono::seconds(mtime));
  entry_.content_offset = position_;

  const auto named = [&](std::string_view what) { return quote_name(entry_.name) + ": " + std::string(what); };
  if (++entries_ > limits_.entries) {
    return failure(Code::kTooLarge, at, "more than " + std::to_string(limits_.entries) + " entries");
  }
  if (std::max(entry_.name.size(), entry_.link.size()) > limits_.name_length) {
    return failure(Code::kTooLarge, at, named("a name of more than " + std::to_string(limits_.name_length) + " bytes"));
  }
  if (header.type == kTarGnuSparse) {
    return failure(Code::kUnsupported, at, named("a sparse file"));
  }
  if (!fits_wall_time(mtime)) {
    return failure(Code::kDataLoss, at, named("a modification time out of range"));
  }
  const bool may_have_content = entry_.type == TarEntryType::kFile || entry_.type == TarEntryType::kOther;
  if (!may_have_content && entry_.size != 0) {
    // Some readers would skip that content and some would take it for the next header.
    return failure(Code::kDataLoss, at, named("a " + std::string(to_string(entry_.type)) + " with content"));
  }
  if (entry_.size > limits_.entry_size) {
    return failure(
        Code::kTooLarge, at,
        named(std::to_string(entry_.size) + " bytes, more than the limit of " + std::to_string(limits_.entry_size)));
  }
  content_left_ = entry_.size;
  padding_ = padding_of(entry_.size);
  return {};
}

// The end mark is two blocks of zeros. More zeros may follow: GNU tar fills up to 10 KiB.
Status TarReader::read_trailer() {
  const std::uint64_t at = position_;
  TarBlock block;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the next line
  TRY_ASSIGN(const bool more, "", read_block(block));
  if (!more) {
    return failure(Code::kDataLoss, at, "the archive is cut inside its end mark");
  }
  if (!is_zero_block(block)) {
    return failure(Code::kDataLoss, at, "half an end mark");
  }
  while (true) {
    TRY("", refill());
    const std::string_view rest = buffered();
    if (rest.empty()) {
      return {};
    }
    if (const std::size_t other = rest.find_first_not_of('\0'); other != std::string_view::npos) {
      return failure(Code::kDataLoss, position_ + other, "something follows the end of the archive");
    }
    consume(rest.size());
  }
}

Result<std::string> TarReader::read_extended_data(std::int64_t size) {
  const std::uint64_t at = position_ - kTarBlockSize;
  if (size > kMaxExtendedSize) {
    return failure(Code::kTooLarge, at,
                   "an extended header of " + std::to_string(size) + " bytes, more than the limit of " +
                       std::to_string(kMaxExtendedSize));
  }
  std::string data;
  content_left_ = static_cast<std::uint64_t>(size);
  while (content_left_ > 0) {
    std::array<char, kTarBlockSize> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the next line
    TRY_ASSIGN(const std::size_t got, "", read_content(piece));
    data.append(piece.data(), got);
  }
  TRY("", skip(padding_of(data.size())));
  return data;
}

// False at the end of the source; a piece of a block is an error.
Result<bool> TarReader::read_block(TarBlock& block) {
  const std::uint64_t at = position_;
  std::size_t have = 0;
  while (have < block.size()) {
    if (buffered().empty()) {
      TRY("", refill());
    }
    const std::string_view piece = buffered().substr(0, block.size() - have);
    if (piece.empty() && have > 0) {
      return failure(Code::kDataLoss, at + have, "the archive is cut inside a block");
    }
    if (piece.empty()) {
      return false;
    }
    std::memcpy(block.data() + have, piece.data(), piece.size());
    have += piece.size();
    consume(piece.size());
  }
  return true;
}

Result<std::size_t> TarReader::Content::read(std::span<char> buffer) {
  if (tar_.broken_) {
    return tl::unexpected(*tar_.broken_);
  }
  auto got = tar_.read_content(buffer);
  if (!got) {
    tar_.broken_ = got.error();
  }
  return got;
}

Result<std::size_t> TarReader::read_content(std::span<char> buffer) {
  if (content_left_ == 0 || buffer.empty()) {
    return std::size_t{0};
  }
  if (buffered().empty()) {
    TRY("", refill());
  }
  const std::string_view piece = buffered().substr(0, std::min<std::uint64_t>(buffer.size(), content_left_));
  if (piece.empty()) {
    return failure(Code::kDataLoss, position_, "the archive is cut inside the content of an entry");
  }
  std::memcpy(buffer.data(), piece.data(), piece.size());
  consume(piece.size());
  content_left_ -= piece.size();
  return piece.size();
}

Status TarReader::skip(std::uint64_t count) {
  while (count > 0) {
    if (buffered().empty()) {
      TRY("", refill());
    }
    const std::size_t step = std::min<std::uint64_t>(buffered().size(), count);
    if (step == 0) {
      return failure(Code::kDataLoss, position_, "the archive is cut inside the content of an entry");
    }
    consume(step);
    count -= step;
  }
  return {};
}

// Reads more into an empty buffer, and leaves it empty at the end of the source.
Status TarReader::refill() {
  if (begin_ != end_) {
    return {};
  }
  TRY_ASSIGN(const std::size_t got, "", source_.read(buffer_));
  begin_ = 0;
  end_ = got;
  if (position_ + got > limits_.total_size) {
    return failure(Code::kTooLarge, position_,
                   "the archive has more than " + std::to_string(limits_.total_size) + " bytes");
  }
  return {};
}

void TarReader::consume(std::size_t count) {
  begin_ += count;
  position_ += count;
}

tl::unexpected<Error> TarReader::failure(Code code, std::uint64_t offset, std::string_view what) const {
  return fail(code, "tar offset " + std::to_string(offset) + ": " + std::string(what));
}

}  // namespace landfall::io
