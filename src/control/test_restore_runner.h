#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "control/active_restores.h"
#include "control/restore_finalizer_reconciler.h"
#include "control/restore_operations_reconciler.h"
#include "control/restore_run_reconciler.h"
#include "control/restore_withdrawal_reconciler.h"
#include "control/test_cluster.h"
#include "item_actions/restore_actions.h"

namespace landfall::control {

// For tests: the reconcilers that take a Restore from New to its end, one call after the other. One of these is one
// process: another one knows nothing of what the first had in memory.
class TestRestoreRunner {
 public:
  explicit TestRestoreRunner(TestCluster& cluster, RestoreSettings settings = built_in())
      : cluster_(cluster), settings_(std::move(settings)) {}

  static RestoreSettings built_in() {
    RestoreSettings settings;
    settings.make_actions = &item_actions::built_in_restore_actions;
    settings.engine.workers = {.first = 4, .most = 4};
    return settings;
  }

  json::Json create(const std::string& name, const json::Json& spec, const json::Json& status = json::Json::object()) {
    return cluster_.create(api::kRestore, {{"metadata", {{"name", name}}}, {"spec", spec}, {"status", status}});
  }

  Status run(const std::string& name, const std::stop_token& stop = {}) { return call(run_, name, stop); }
  Status wait(const std::string& name) { return call(operations_, name, {}); }
  Status finalize(const std::string& name) { return call(finalizer_, name, {}); }
  Status withdraw(const std::string& name) { return call(withdrawal_, name, {}); }

  // Calls the finalizer until the Restore has left its hands; the Restore as it is then.
  json::Json end(const std::string& name) {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (true) {
      must(finalize(name));
      json::Json restore = cluster_.get(api::kRestore, name);
      if (!restore["status"].value("phase", "").starts_with("Finalizing")) return restore;
      if (system_clock().now() > deadline) throw std::runtime_error("the restore does not end: " + restore.dump());
      system_clock().sleep_for(std::chrono::milliseconds(50), {});
    }
  }
  // From New to the end.
  json::Json restore(const std::string& name, const json::Json& spec) {
    create(name, spec);
    must(run(name));
    return end(name);
  }

  static void must(const Status& status) {
    if (!status) throw std::runtime_error(status.error().message());
  }

 private:
  static Status call(kube::Reconciler& reconciler, const std::string& name, const std::stop_token& stop) {
    TRY("", reconciler.reconcile({"velero", name}, stop));
    return {};
  }

  TestCluster& cluster_;
  const RestoreSettings settings_;
  ActiveRestores active_;
  RestoreRunReconciler run_{cluster_.context(), settings_, active_};
  RestoreOperationsReconciler operations_{cluster_.context(), settings_, active_};
  RestoreFinalizerReconciler finalizer_{cluster_.context(), settings_, active_};
  RestoreWithdrawalReconciler withdrawal_{cluster_.context(), settings_, active_};
};

}  // namespace landfall::control
