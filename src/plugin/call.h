#pragma once

#include <grpcpp/support/status.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "plugin/plugin_process.h"
#include "plugin/process_slot.h"

namespace landfall::plugin {

// Who is called, for errors: "plugin velero.io/aws: CreateSnapshot: volume is busy".
struct Callee {
  std::string_view name;
  std::string_view method;
};

// What a failed call means to our callers.
Error call_error(const PluginProcess& process, const Callee& callee, const grpc::Status& status,
                 const std::stop_token& stop);

// One call to a process. Without a limit it takes as long as it takes.
template <class Stub, class Request, class Response>
Result<Response> call_process(PluginProcess& process, const Callee& callee, std::unique_ptr<Stub> Stubs::* stub,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                              const Request& request, const std::stop_token& stop, Duration limit = {}) {
  PluginProcess::Call call(process, stop, limit);
  Response response;
  const grpc::Status status = ((*(process.stubs().*stub)).*method)(&call.context(), request, &response);
  if (!status.ok()) return tl::unexpected(call_error(process, callee, status, stop));
  return response;
}

// The same, to whichever process is in the slot now.
template <class Stub, class Request, class Response>
Result<Response> call_plugin(ProcessSlot& slot, const Callee& callee, std::unique_ptr<Stub> Stubs::* stub,
                             grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                             const Request& request, const std::stop_token& stop, Duration limit = {}) {
  auto process = slot.process(stop);
  if (!process) return fail(std::string("plugin ").append(callee.name), std::move(process).error());
  return call_process(**process, callee, stub, method, request, stop, limit);
}

}  // namespace landfall::plugin
