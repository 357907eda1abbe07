#pragma once

#include <memory>
#include <string>
#include <utility>

#include "extension/item_action.h"

namespace landfall::item_actions {

// An action that needs nothing but the object: a name, a scope and a function that is safe to call from any thread.
template <class Function>
class FunctionAction final : public extension::RestoreItemAction {
 public:
  FunctionAction(std::string name, extension::ActionScope scope, Function function)
      : name_(std::move(name)), scope_(std::move(scope)), function_(std::move(function)) {}

  std::string name() const override { return name_; }
  extension::ActionScope scope() const override { return scope_; }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& /*stop*/) override {
    return function_(input);
  }

 private:
  const std::string name_;
  const extension::ActionScope scope_;
  const Function function_;
};

template <class Function>
std::unique_ptr<extension::RestoreItemAction> make_function_action(std::string name, std::string resource,
                                                                   Function function) {
  return std::make_unique<FunctionAction<Function>>(
      std::move(name), extension::ActionScope{.included_resources = {std::move(resource)}}, std::move(function));
}

}  // namespace landfall::item_actions
