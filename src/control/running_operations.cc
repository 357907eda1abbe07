#include "control/running_operations.h"

#include "api/status.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::control {

RunningOperations::Entry::~Entry() {
  if (all_ != nullptr) {
    all_->operations_.with([this](auto& operations) { operations.erase(key_); });
  }
}

std::optional<RunningOperations::Entry> RunningOperations::begin(const api::Kind& kind, const std::string& name,
                                                                 std::shared_ptr<operation::RunLog> log,
                                                                 std::stop_source cancel) {
  Key key{std::string(kind.name), name};
  const bool is_new = operations_.with([&](auto& operations) {
    return operations.try_emplace(key, Operation{.log = std::move(log), .cancel = std::move(cancel)}).second;
  });
  if (!is_new) return std::nullopt;
  return Entry(*this, std::move(key));
}

bool RunningOperations::is_running(const api::Kind& kind, const std::string& name) const {
  return operations_.with([&](const auto& operations) { return operations.contains(Key{kind.name, name}); });
}

std::shared_ptr<operation::RunLog> RunningOperations::log(const api::Kind& kind, const std::string& name) const {
  return operations_.with([&](const auto& operations) {
    const auto found = operations.find(Key{kind.name, name});
    return found == operations.end() ? nullptr : found->second.log;
  });
}

bool RunningOperations::cancel(const api::Kind& kind, const std::string& name) {
  return operations_.with([&](auto& operations) {
    const auto found = operations.find(Key{kind.name, name});
    if (found == operations.end()) return false;
    found->second.cancel.request_stop();
    return true;
  });
}

void cancel_if_wanted(const api::Kind& kind, const kube::CacheChange& change, RunningOperations& running) {
  const bool is_gone =
      !change.after || (change.before && k8s::ObjectView(*change.before).uid() != k8s::ObjectView(*change.after).uid());
  if (is_gone || api::is_cancel_wanted(*change.after) || k8s::ObjectView(*change.after).is_being_deleted()) {
    running.cancel(kind, change.name.name);
  }
}

}  // namespace landfall::control
