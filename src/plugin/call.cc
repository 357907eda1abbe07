#include "plugin/call.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace landfall::plugin {
namespace {

constexpr std::size_t kLongestMessage = 4096;

// Go plugins answer UNKNOWN to nearly everything.
Code code_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::OUT_OF_RANGE:
      return Code::kInvalid;
    case grpc::StatusCode::NOT_FOUND:
      return Code::kNotFound;
    case grpc::StatusCode::ALREADY_EXISTS:
      return Code::kAlreadyExists;
    case grpc::StatusCode::PERMISSION_DENIED:
      return Code::kForbidden;
    case grpc::StatusCode::UNAUTHENTICATED:
      return Code::kUnauthenticated;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Code::kTooLarge;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return Code::kTimeout;
    case grpc::StatusCode::UNAVAILABLE:
      return Code::kUnavailable;
    case grpc::StatusCode::UNIMPLEMENTED:
      return Code::kUnsupported;
    case grpc::StatusCode::DATA_LOSS:
      return Code::kDataLoss;
    default:
      return Code::kInternal;
  }
}

}  // namespace

Error call_error(const PluginProcess& process, const Callee& callee, const grpc::Status& status,
                 const std::stop_token& stop) {
  const std::string who = fmt::format("plugin {}: {}", callee.name, callee.method);
  if (stop.stop_requested()) return {Code::kCancelled, who + ": stopped"};
  const bool is_broken =
      status.error_code() == grpc::StatusCode::UNAVAILABLE || status.error_code() == grpc::StatusCode::CANCELLED;
  if (is_broken) {
    if (const auto ending = process.ending()) {
      return {Code::kUnavailable,
              fmt::format("{}: the plugin's process ({}) ended meanwhile: {}", who, process.command(), *ending)};
    }
  }
  const std::string& text = status.error_message();
  std::string message = to_valid_utf8(std::string_view(text).substr(0, kLongestMessage));
  if (text.size() > kLongestMessage) message += "…";
  if (message.empty()) message = fmt::format("failed with code {}", static_cast<int>(status.error_code()));
  return {code_of(status.error_code()), fmt::format("{}: {}", who, message)};
}

}  // namespace landfall::plugin
