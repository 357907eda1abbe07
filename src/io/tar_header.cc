#include "io/tar_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace landfall::io {
namespace {

struct Field {
  std::size_t offset;
  std::size_t size;
};

constexpr Field kName{0, kTarNameSize};
constexpr Field kMode{100, 8};
constexpr Field kUid{108, 8};
constexpr Field kGid{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kMtime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kLink{157, 100};
constexpr Field kMagic{257, 8};  // with the version
constexpr Field kDevMajor{329, 8};
constexpr Field kDevMinor{337, 8};
constexpr Field kPrefix{345, kTarPrefixSize};

constexpr std::string_view kPosixMagic{"ustar\00000", 8};
constexpr std::string_view kGnuMagic{"ustar  \0", 8};
constexpr std::size_t kMagicOnly = 6;  // without the version

std::string_view raw(const TarBlock& block, Field field) { return {block.data() + field.offset, field.size}; }

// Up to the first NUL, which may be missing when the field is full.
std::string_view text(const TarBlock& block, Field field) {
  const std::string_view all = raw(block, field);
  return all.substr(0, all.find('\0'));
}

// GNU's binary numbers: the top bit is set, the rest is big-endian two's complement.
std::optional<std::int64_t> base256(std::string_view field) {
  const bool negative = (static_cast<unsigned char>(field.front()) & 0x40U) != 0;
  const unsigned char fill = negative ? 0xff : 0x00;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    auto byte = static_cast<unsigned char>(field[i]);
    if (i == 0) {
      byte = negative ? (byte | 0x80U) : (byte & 0x7fU);
    }
    if (field.size() - i > sizeof(value)) {
      if (byte != fill) {
        return std::nullopt;
      }
      continue;
    }
    value = (value << 8U) | byte;
  }
  const auto number = static_cast<std::int64_t>(value);
  return (number < 0) == negative ? std::optional(number) : std::nullopt;
}

// Octal digits between blanks or NULs; nothing at all means 0.
std::optional<std::int64_t> octal(std::string_view field) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\0'; };
  while (!field.empty() && is_blank(field.front())) {
    field.remove_prefix(1);
  }
  while (!field.empty() && is_blank(field.back())) {
    field.remove_suffix(1);
  }
  std::int64_t value = 0;
  for (const char c : field) {
    if (c < '0' || c > '7') {
      return std::nullopt;
    }
    value = value * 8 + (c - '0');  // 12 digits at most
  }
  return value;
}

std::optional<std::int64_t> number(const TarBlock& block, Field field) {
  const std::string_view all = raw(block, field);
  return (static_cast<unsigned char>(all.front()) & 0x80U) != 0 ? base256(all) : octal(all);
}

// The sum of all bytes, with the checksum's own field taken as blanks. Some old programs added up signed bytes.
struct Checksums {
  std::int64_t of_unsigned = 0;
  std::int64_t of_signed = 0;
};

Checksums checksums(const TarBlock& block) {
  Checksums sums;
  for (const char c : block) {
    sums.of_unsigned += static_cast<unsigned char>(c);
    sums.of_signed += static_cast<signed char>(c);
  }
  for (const char c : raw(block, kChecksum)) {
    sums.of_unsigned += ' ' - static_cast<unsigned char>(c);
    sums.of_signed += ' ' - static_cast<signed char>(c);
  }
  return sums;
}

void put_text(TarBlock& block, Field field, std::string_view value) {
  std::copy_n(value.begin(), std::min(value.size(), field.size), block.begin() + static_cast<long>(field.offset));
}

// All but the last byte as octal digits, then a NUL.
void put_octal(TarBlock& block, Field field, std::int64_t value) {
  const std::size_t digits = field.size - 1;
  if (value < 0 || (value >> (3 * digits)) != 0) {
    value = 0;
  }
  for (std::size_t i = digits; i-- > 0; value >>= 3U) {
    block.at(field.offset + i) = static_cast<char>('0' + (value & 7));
  }
}

}  // namespace

bool is_zero_block(const TarBlock& block) {
  return std::ranges::all_of(block, [](char c) { return c == 0; });
}

Result<TarHeader> decode_tar_header(const TarBlock& block) {
  const Checksums sums = checksums(block);
  const auto checksum = octal(raw(block, kChecksum));
  if (!checksum || (*checksum != sums.of_unsigned && *checksum != sums.of_signed)) {
    return fail(Code::kDataLoss, "not a tar header: its checksum is wrong");
  }
  const std::string_view magic = raw(block, kMagic);
  const bool is_gnu = magic == kGnuMagic;
  if (!is_gnu && !magic.starts_with(kPosixMagic.substr(0, kMagicOnly))) {
    return fail(Code::kUnsupported, "a tar header without the ustar mark; formats are POSIX (ustar, pax) and GNU");
  }
  const auto size = number(block, kSize);
  const auto mtime = number(block, kMtime);
  const auto mode = number(block, kMode);
  if (!size || *size < 0) {
    return fail(Code::kDataLoss, "a tar header with a wrong size field");
  }
  if (!mtime || !mode) {
    return fail(Code::kDataLoss, "a tar header with a wrong time or mode field");
  }
  TarHeader header;
  // GNU keeps other things where POSIX has the prefix.
  if (const std::string_view prefix = is_gnu ? std::string_view() : text(block, kPrefix); !prefix.empty()) {
    header.name.append(prefix).append("/");
  }
  header.name.append(text(block, kName));
  header.link = text(block, kLink);
  header.type = block.at(kType.offset);
  header.mode = static_cast<std::uint32_t>(*mode & 07777);
  header.size = *size;
  header.mtime = *mtime;
  return header;
}

TarBlock encode_tar_header(const TarHeader& header) { return encode_tar_header(header, true); }

TarBlock encode_tar_header(const TarHeader& header, bool with_device) {
  TarBlock block{};
  put_text(block, kName, header.name);
  put_text(block, kPrefix, header.prefix);
  put_text(block, kLink, header.link);
  put_text(block, kMagic, kPosixMagic);
  put_octal(block, kMode, header.mode);
  put_octal(block, kUid, 0);
  put_octal(block, kGid, 0);
  put_octal(block, kSize, header.size);
  put_octal(block, kMtime, header.mtime);
  if (with_device) {
    put_octal(block, kDevMajor, 0);
    put_octal(block, kDevMinor, 0);
  }
  block.at(kType.offset) = header.type;
  // Six digits, a NUL and a blank: the one number with a form of its own.
  const std::int64_t sum = checksums(block).of_unsigned;
  put_octal(block, {kChecksum.offset, kChecksum.size - 1}, sum);
  block.at(kChecksum.offset + kChecksum.size - 1) = ' ';
  return block;
}

Result<std::vector<PaxRecord>> parse_pax_records(std::string_view data) {
  std::vector<PaxRecord> records;
  while (!data.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(data.data(), data.data() + data.size(), length);
    const auto digits = static_cast<std::size_t>(end - data.data());
    // At least: the digits, a blank, a key of one letter, '=' and the newline.
    if (error != std::errc() || length < digits + 4 || length > data.size() || data[digits] != ' ' ||
        data[length - 1] != '\n') {
      return fail(Code::kDataLoss, "a malformed record in an extended header");
    }
    const std::string_view record = data.substr(digits + 1, length - digits - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail(Code::kDataLoss, "a record without a key in an extended header");
    }
    records.push_back({record.substr(0, equals), record.substr(equals + 1)});
    data.remove_prefix(length);
  }
  return records;
}

std::string format_pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;  // blank, '=', newline
  std::size_t length = rest + std::to_string(rest).size();
  length = rest + std::to_string(length).size();  // the number may itself have grown by a digit
  std::string record = std::to_string(length);
  record.append(" ").append(key).append("=").append(value).append("\n");
  return record;
}

}  // namespace landfall::io
