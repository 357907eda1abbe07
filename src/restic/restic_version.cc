#include "restic/restic_version.h"

#include <fmt/format.h>

#include <array>

#include "base/quote.h"
#include "base/strings.h"

namespace landfall::restic {

std::string to_string(const ResticVersion& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

Result<ResticVersion> parse_version(std::string_view printed) {
  constexpr std::string_view kName = "restic ";
  const auto strange = [&] {
    constexpr std::size_t kEnough = 80;
    return fail(Code::kInvalid, "not a version of restic: " + quote(trim(printed.substr(0, kEnough))));
  };
  if (!printed.starts_with(kName)) return strange();
  // "0.14.0 compiled with …", "0.17.3-dev (…)"
  std::string_view rest = printed.substr(kName.size());
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = parse_uint64(rest.substr(0, digits));
    constexpr std::uint64_t kMost = 9999;
    if (!number || *number > kMost) return strange();
    numbers.at(i) = static_cast<int>(*number);
    rest.remove_prefix(digits);
    if (i + 1 == numbers.size()) break;
    if (!rest.starts_with('.')) return strange();
    rest.remove_prefix(1);
  }
  const ResticVersion version{numbers[0], numbers[1], numbers[2]};
  if (version < kOldest) {
    return fail(Code::kUnsupported,
                fmt::format("restic {} is too old: install {} or newer", to_string(version), to_string(kOldest)));
  }
  return version;
}

}  // namespace landfall::restic
