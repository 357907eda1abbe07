#pragma once

#include <grpcpp/grpcpp.h>

#include <exception>
#include <string>
#include <utility>

#include "plugin_kit/registry.h"

// How a handler answers; for .cc files only.
namespace landfall::plugin_kit {

// Velero's own plugins send whatever went wrong as UNKNOWN with its text.
inline grpc::Status to_grpc(const Error& error) {
  if (error.code() == Code::kCancelled) return {grpc::StatusCode::CANCELLED, error.message()};
  return {grpc::StatusCode::UNKNOWN, error.message()};
}

// Runs a handler, `Status f(const std::stop_token&)`. Nothing that it throws ends the program.
template <class Handler>
grpc::Status answer(Registry& registry, grpc::ServerContext* context, Handler&& handler,
                    const std::function<grpc::Status(const Error&)>& convert = to_grpc) {
  const Calls::Call call(registry.calls, [context] { return context->IsCancelled(); });
  try {
    const Status done = std::forward<Handler>(handler)(call.stop());
    return done ? grpc::Status::OK : convert(done.error());
  } catch (const std::exception& thrown) {
    return {grpc::StatusCode::ABORTED, std::string("plugin panicked: ") + thrown.what()};
  } catch (...) {
    return {grpc::StatusCode::ABORTED, "plugin panicked: something was thrown that is no exception"};
  }
}

}  // namespace landfall::plugin_kit
