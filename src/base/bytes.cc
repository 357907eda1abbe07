#include "base/bytes.h"

#include <array>
#include <string_view>

namespace landfall {
namespace {

constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

}  // namespace

std::string to_string(ByteCount size) {
  const bool negative = size.count() < 0;
  const std::uint64_t bytes =
      negative ? -static_cast<std::uint64_t>(size.count()) : static_cast<std::uint64_t>(size.count());
  const std::string sign = negative ? "-" : "";
  if (bytes < 1024) {
    return sign + std::to_string(bytes) + " B";
  }
  // The first unit in which the rounded number has at most four digits: 1023.99 KiB is 1.0 MiB.
  for (std::size_t i = 0;; ++i) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * (i + 1));
    const std::uint64_t tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
    if (tenths < 10240 || i + 1 == kUnits.size()) {
      return sign + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + std::string(kUnits.at(i));
    }
  }
}

}  // namespace landfall
