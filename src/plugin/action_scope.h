#pragma once

#include <stop_token>
#include <utility>

#include "base/result.h"
#include "extension/item_action.h"
#include "plugin/call.h"
#include "plugin/messages.h"
#include "plugin/plugin_actions.h"

namespace landfall::plugin {

// What an action is for, asked once; and asked again of every new process, whose first call it must be.
template <class Stub, class Request, class Response>
Result<extension::ActionScope> ask_scope(const ActionParts& parts, std::unique_ptr<Stub> Stubs::* stub,
                                         grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                         const std::stop_token& stop) {
  Request request;
  request.set_plugin(parts.name);
  const auto ask = [=, name = parts.name, limit = parts.first_call_limit](PluginProcess& process,
                                                                          const std::stop_token& until) {
    return call_process(process, {name, "AppliesTo"}, stub, method, request, until, limit);
  };
  TRY_ASSIGN(const auto process, "plugin " + parts.name, parts.slot->process(stop));
  TRY_ASSIGN(const Response answer, "", ask(*process, stop));
  parts.slot->remember([ask](PluginProcess& next, const std::stop_token& until) -> Status {
    TRY("", ask(next, until));
    return {};
  });
  return scope_of(answer.resource_selector());
}

}  // namespace landfall::plugin
