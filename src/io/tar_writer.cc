#include "io/tar_writer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "io/tar_name.h"

namespace landfall::io {
namespace {

constexpr std::array<char, 2 * kTarBlockSize> kZeros{};
constexpr std::size_t kChunk = 64UL * 1024;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string only_ascii(std::string_view text) {
  std::string ascii;
  std::ranges::copy_if(text, std::back_inserter(ascii), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii;
}

// Puts the name into the name field, or splits it at a slash over prefix and name. False when neither is possible.
bool fit_name(std::string_view name, TarHeader& header) {
  if (!is_ascii(name)) {
    return false;
  }
  if (name.size() <= kTarNameSize) {
    header.name = name;
    return true;
  }
  const std::size_t slash = name.substr(0, kTarPrefixSize + 1).rfind('/');
  if (slash == std::string_view::npos || name.size() - slash - 1 > kTarNameSize) {
    return false;
  }
  header.prefix = name.substr(0, slash);
  header.name = name.substr(slash + 1);
  return true;
}

bool fits_octal(std::int64_t value) { return value >= 0 && value <= kTarOctalMax; }

// What the plain header cannot hold, in the order of the keys.
std::string pax_records(std::string_view name, const TarHeader& header) {
  std::string records;
  if (!fits_octal(header.mtime)) {
    records += format_pax_record("mtime", std::to_string(header.mtime));
  }
  if (!is_ascii(name) || name.size() > kTarNameSize) {
    records += format_pax_record("path", name);
  }
  if (!fits_octal(header.size)) {
    records += format_pax_record("size", std::to_string(header.size));
  }
  return records;
}

void drop_slashes_at_end(std::string& text) { text.erase(text.find_last_not_of('/') + 1); }

// What programs that know no pax see. A cut name that ends in a slash would look like a directory to them.
std::string cut_name(std::string_view name) {
  std::string cut = only_ascii(name);
  if (cut.size() > kTarNameSize) {
    cut.resize(kTarNameSize);
    drop_slashes_at_end(cut);
  }
  return cut;
}

// Half a second rounds up, as in Go.
std::int64_t rounded_seconds(WallTime time) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto whole = std::chrono::floor<seconds>(time);
  const bool up = time - whole >= milliseconds(500);
  return whole.time_since_epoch().count() + (up ? 1 : 0);
}

}  // namespace

Status TarWriter::add(const TarFile& file, std::string_view content) {
  TRY("", write_header(file, content.size()));
  TRY("", put(content));
  return write_padding(content.size());
}

Status TarWriter::add(const TarFile& file, std::uint64_t size, Reader& content) {
  TRY("", write_header(file, size));
  if (Status written = write_content(size, content); !written) {
    broken_ = std::move(written).error().with_context("content of " + quote_name(file.name));
    return tl::unexpected(*broken_);
  }
  return write_padding(size);
}

Status TarWriter::close() {
  TRY("", put(std::string_view(kZeros.data(), kZeros.size())));
  broken_ = Error(Code::kInternal, "tar: used after close");
  return {};
}

Status TarWriter::write_header(const TarFile& file, std::uint64_t size) {
  if (const auto safe = safe_relative_name(file.name); !safe || *safe != file.name) {
    return fail(Code::kInvalid, quote_name(file.name) + " is not a plain relative name for an archive");
  }
  if (size > INT64_MAX) {
    return fail(Code::kTooLarge, quote_name(file.name) + ": too large for an archive");
  }
  TarHeader header;
  header.mode = file.mode;
  header.size = static_cast<std::int64_t>(size);
  header.mtime = rounded_seconds(file.mtime);
  if (!fits_octal(header.size) || !fits_octal(header.mtime) || !fit_name(file.name, header)) {
    header.name = cut_name(file.name);
    TRY("", write_extended(file.name, pax_records(file.name, header)));
  }
  const TarBlock block = encode_tar_header(header);
  return put({block.data(), block.size()});
}

Status TarWriter::write_extended(std::string_view name, std::string_view records) {
  const std::size_t file = name.rfind('/') + 1;  // 0 when there is no slash
  TarHeader header;
  header.type = kTarPax;
  header.name = only_ascii(std::string(name.substr(0, file)) + "PaxHeaders.0/" + std::string(name.substr(file)));
  header.name.resize(std::min(header.name.size(), kTarNameSize));
  drop_slashes_at_end(header.name);
  header.size = static_cast<std::int64_t>(records.size());
  const TarBlock block = encode_tar_header(header, false);
  TRY("", put({block.data(), block.size()}));
  TRY("", put(records));
  return write_padding(records.size());
}

Status TarWriter::write_content(std::uint64_t size, Reader& content) {
  std::array<char, kChunk> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read before use
  std::uint64_t left = size;
  while (left > 0) {
    const std::span<char> room(chunk.data(), std::min<std::uint64_t>(left, chunk.size()));
    TRY_ASSIGN(const std::size_t got, "read", content.read(room));
    if (got == 0) {
      return fail(Code::kInvalid,
                  "it ended " + std::to_string(left) + " bytes before its size of " + std::to_string(size) + " bytes");
    }
    TRY("", put({chunk.data(), got}));
    left -= got;
  }
  TRY_ASSIGN(const std::size_t more, "read", content.read(std::span(chunk.data(), 1)));
  if (more > 0) {
    return fail(Code::kInvalid, "it is longer than its size of " + std::to_string(size) + " bytes");
  }
  return {};
}

Status TarWriter::write_padding(std::uint64_t size) {
  const std::size_t over = size % kTarBlockSize;
  return over == 0 ? Status() : put({kZeros.data(), kTarBlockSize - over});
}

Status TarWriter::put(std::string_view bytes) {
  if (broken_) {
    return tl::unexpected(*broken_);
  }
  if (Status written = sink_.write(bytes); !written) {
    broken_ = written.error();
    return written;
  }
  position_ += bytes.size();
  return {};
}

}  // namespace landfall::io
