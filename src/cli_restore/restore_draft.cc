#include "cli_restore/restore_draft.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "base/time_zone.h"
#include "k8s/names.h"

namespace landfall::cli {

namespace {

// "20260520100122"
std::string stamp(const Context& context) {
  const WallTime now = context.clock.wall_now();
  const TimeZone zone = TimeZone::find(context.environment.get_or("TZ", "")).value_or(TimeZone());
  const auto offset = zone.period_at(std::chrono::floor<std::chrono::seconds>(now)).offset;
  const std::string text = format_rfc3339(now + offset);
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c >= '0' && c <= '9'; });
  return digits;
}

}  // namespace

Result<std::string> restore_name(const std::vector<std::string>& given, const std::string& source,
                                 const Context& context) {
  if (given.size() > 1) {
    return fail(Code::kInvalid,
                "one restore is made at a time: " + quote(given[0]) + " and " + quote(given[1]) + " are two names");
  }
  std::string name = given.empty() ? source + "-" + stamp(context) : given.front();
  if (const auto problems = k8s::dns1123_subdomain_problems(name); !problems.empty()) {
    return fail(Code::kInvalid, quote(name) + " can be no name of a restore: " + k8s::joined(problems));
  }
  return name;
}

}  // namespace landfall::cli
