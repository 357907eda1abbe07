#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/hooks.h"
#include "base/clock.h"
#include "base/result.h"

namespace landfall::hooks {

enum class HookSource : std::uint8_t { kAnnotation, kSpec };

// "annotation" and "spec", as in Velero's logs.
constexpr std::string_view to_string(HookSource source) {
  return source == HookSource::kAnnotation ? "annotation" : "spec";
}

// One command to run in one pod, with everything decided.
struct PlannedHook {
  static constexpr Duration kDefaultTimeout = std::chrono::seconds(30);
  // For a negative timeout, which means none to Velero: a hook that never ends would keep the backup from ending.
  static constexpr Duration kLongestTimeout = std::chrono::hours(24);

  HookSource source = HookSource::kSpec;
  std::string name;  // of the entry in the spec; "<from-annotation>"
  std::string container;
  std::vector<std::string> command;
  // Nothing means Continue: Velero documents Fail, but does not do it.
  std::optional<api::HookErrorMode> on_error;
  Duration timeout = kDefaultTimeout;
  std::string warning;  // about something that was passed over; empty when there is nothing to say
  Status runnable;      // why it cannot be run: it then fails without being tried

  bool is_fatal() const { return on_error == api::HookErrorMode::kFail; }
};

}  // namespace landfall::hooks
