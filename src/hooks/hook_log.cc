#include "hooks/hook_log.h"

#include <string>

#include "base/go_duration.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::hooks {
namespace {

// An annotation may hold a script.
constexpr std::size_t kMaxLoggedCommand = 1024;

std::string shown(const std::vector<std::string>& command) {
  std::string text = json::dump(command);
  if (text.size() > kMaxLoggedCommand) text.replace(kMaxLoggedCommand, std::string::npos, "…");
  return text;
}

}  // namespace

Logger logger_of(const PlannedHook& hook, const Logger& log) {
  return log.with({{"hookSource", to_string(hook.source)},
                   {"hookName", hook.name},
                   {"hookContainer", hook.container},
                   {"hookCommand", shown(hook.command)},
                   {"hookOnError", api::to_string(hook.on_error.value_or(api::HookErrorMode::kContinue))},
                   {"hookTimeout", format_go_duration(hook.timeout)}});
}

}  // namespace landfall::hooks
