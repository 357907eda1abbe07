#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "extension/item_action.h"
#include "plugin_kit/answer.h"
#include "plugin_kit/wire.h"

// How item actions of all kinds answer what they are asked alike; for .cc files only.
namespace landfall::plugin_kit {

// Some are registered with their version.
template <class Entry>
auto& action_in(const Entry& entry) {
  if constexpr (requires { entry.action; }) {
    return *entry.action;
  } else {
    return *entry;
  }
}

template <class Actions, class Request, class Response>
grpc::Status answer_scope(Registry& registry, grpc::ServerContext* context, Actions& actions, const Request& request,
                          Response& response) {
  return answer(registry, context, [&](const std::stop_token&) -> Status {
    TRY_ASSIGN(const auto* const found, "", find_plugin(actions, request.plugin()));
    put_scope(action_in(*found).scope(), *response.mutable_resource_selector());
    return {};
  });
}

template <class Actions>
Result<extension::Waitable*> waitable_of(Actions& actions, const std::string& name) {
  TRY_ASSIGN(const auto* const found, "", find_plugin(actions, name));
  extension::Waitable* const waitable = action_in(*found).waitable();
  if (waitable == nullptr) return fail(Code::kUnsupported, "Plugin does not support asynchronous operations");
  return waitable;
}

// The Backup or Restore of a request.
template <class Request>
Result<std::shared_ptr<const json::Json>> owner_of(LastDocument& owners, const Request& request) {
  if constexpr (requires { request.backup(); }) {
    TRY_ASSIGN(auto backup, "the Backup", owners.parse(request.backup()));
    return backup;
  } else {
    TRY_ASSIGN(auto restore, "the Restore", owners.parse(request.restore()));
    return restore;
  }
}

template <class Actions, class Request, class Response>
grpc::Status answer_progress(Registry& registry, grpc::ServerContext* context, Actions& actions, LastDocument& owners,
                             const Request& request, Response& response) {
  return answer(registry, context, [&](const std::stop_token& stop) -> Status {
    TRY_ASSIGN(auto* const waitable, "", waitable_of(actions, request.plugin()));
    TRY_ASSIGN(const auto owner, "", owner_of(owners, request));
    TRY_ASSIGN(const extension::OperationProgress progress, "",
               waitable->progress(request.operation_id(), *owner, stop));
    put_progress(progress, *response.mutable_progress());
    return {};
  });
}

template <class Actions, class Request>
grpc::Status answer_cancel(Registry& registry, grpc::ServerContext* context, Actions& actions, LastDocument& owners,
                           const Request& request) {
  return answer(registry, context, [&](const std::stop_token& stop) -> Status {
    TRY_ASSIGN(auto* const waitable, "", waitable_of(actions, request.plugin()));
    TRY_ASSIGN(const auto owner, "", owner_of(owners, request));
    return waitable->cancel(request.operation_id(), *owner, stop);
  });
}

}  // namespace landfall::plugin_kit
