#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The 512-byte header block of tar and the records of an extended (pax) header: what tar_reader and tar_writer share.
namespace landfall::io {

inline constexpr std::size_t kTarBlockSize = 512;
using TarBlock = std::array<char, kTarBlockSize>;

// Field widths that decide whether a name or a number fits.
inline constexpr std::size_t kTarNameSize = 100;
inline constexpr std::size_t kTarPrefixSize = 155;
inline constexpr std::int64_t kTarOctalMax = 077777777777;  // sizes and times: 11 octal digits

// Type flags.
inline constexpr char kTarFile = '0';
inline constexpr char kTarPax = 'x';
inline constexpr char kTarPaxGlobal = 'g';
inline constexpr char kTarGnuLongName = 'L';
inline constexpr char kTarGnuLongLink = 'K';
inline constexpr char kTarGnuSparse = 'S';

struct TarHeader {
  std::string name;  // with the prefix, when read
  std::string prefix;
  std::string link;
  char type = kTarFile;
  std::uint32_t mode = 0;
  std::int64_t size = 0;   // never negative
  std::int64_t mtime = 0;  // seconds since 1970
};

bool is_zero_block(const TarBlock& block);

// POSIX ustar and GNU blocks, octal and base-256 numbers. kDataLoss for a wrong checksum or number, kUnsupported for
// the format from before 1988.
Result<TarHeader> decode_tar_header(const TarBlock& block);

// A POSIX ustar block, owner 0 without a name. Text that does not fit is cut and a number that does not fit becomes 0:
// the caller puts the real value into an extended header.
TarBlock encode_tar_header(const TarHeader& header);

// `with_device` is off in the header of an extended header: Go's writer leaves these fields empty there.
TarBlock encode_tar_header(const TarHeader& header, bool with_device);

struct PaxRecord {
  std::string_view key;
  std::string_view value;
};

// The records of an extended header, pointing into `data`. kDataLoss where a record is malformed.
Result<std::vector<PaxRecord>> parse_pax_records(std::string_view data);
// "25 ctime=1084839148.1212\n": the number counts the whole record, itself included.
std::string format_pax_record(std::string_view key, std::string_view value);

}  // namespace landfall::io
