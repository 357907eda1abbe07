#pragma once

#include <fmt/format.h>

#include <memory>
#include <stop_token>
#include <string>

#include "extension/item_action.h"
#include "plugin/call.h"
#include "plugin/messages.h"
#include "plugin/plugin_actions.h"

// For .cc files only.
namespace landfall::plugin {

// The operations of an action of the second version. The messages of backups and restores differ in the name of the
// owner only.
template <class Service, class ProgressRequest, class CancelRequest>
class PluginOperations final : public extension::Waitable {
 public:
  using Stub = typename Service::Stub;
  PluginOperations(ActionParts parts, std::unique_ptr<Stub> Stubs::* stub) : parts_(std::move(parts)), stub_(stub) {}

  Result<extension::OperationProgress> progress(const std::string& operation_id, const json::Json& owner,
                                                const std::stop_token& stop) override {
    TRY_ASSIGN(const auto answer, "",
               call_plugin(*parts_.slot, {parts_.name, "Progress"}, stub_, &Stub::Progress,
                           request<ProgressRequest>(operation_id, owner), stop));
    if (!answer.has_progress()) {
      return fail(Code::kInternal, fmt::format("plugin {}: Progress: the answer holds no progress", parts_.name));
    }
    return progress_of(answer.progress());
  }
  Status cancel(const std::string& operation_id, const json::Json& owner, const std::stop_token& stop) override {
    TRY("", call_plugin(*parts_.slot, {parts_.name, "Cancel"}, stub_, &Stub::Cancel,
                        request<CancelRequest>(operation_id, owner), stop));
    return {};
  }

 private:
  template <class Request>
  Request request(const std::string& operation_id, const json::Json& owner) const {
    Request made;
    made.set_plugin(parts_.name);
    made.set_operation_id(operation_id);
    if constexpr (requires { made.set_backup(std::string()); }) {
      made.set_backup(*parts_.owners->of(owner));
    } else {
      made.set_restore(*parts_.owners->of(owner));
    }
    return made;
  }

  const ActionParts parts_;
  std::unique_ptr<Stub> Stubs::* const stub_;
};

}  // namespace landfall::plugin
