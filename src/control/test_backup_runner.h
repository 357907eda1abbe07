#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "archive/spooled_archive.h"
#include "bucket/verify.h"
#include "control/backup_finalizer_reconciler.h"
#include "control/backup_operations_reconciler.h"
#include "control/backup_run_reconciler.h"
#include "control/test_cluster.h"
#include "item_actions/built_in_actions.h"
#include "json/parse.h"

namespace landfall::control {

// For tests: the reconcilers that take a Backup from ReadyToStart to its end, one call after the other.
class TestBackupRunner {
 public:
  explicit TestBackupRunner(TestCluster& cluster, BackupSettings settings = built_in())
      : cluster_(cluster), settings_(std::move(settings)) {}

  static BackupSettings built_in() {
    BackupSettings settings;
    settings.make_actions = [](kube::Client& client, const kube::Discovery& discovery) {
      return item_actions::built_in_backup_actions(client, discovery);
    };
    return settings;
  }

  json::Json create(const std::string& name, const json::Json& spec, const std::string& phase = "ReadyToStart") {
    return cluster_.create(api::kBackup,
                           {{"metadata", {{"name", name}}}, {"spec", spec}, {"status", {{"phase", phase}}}});
  }

  Status run(const std::string& name, const std::stop_token& stop = {}) { return call(run_, name, stop); }
  Status wait(const std::string& name) { return call(operations_, name, {}); }
  Status finalize(const std::string& name) { return call(finalizer_, name, {}); }

  // From ReadyToStart to the end; the Backup as it is then.
  json::Json back_up(const std::string& name, const json::Json& spec) {
    create(name, spec);
    must(run(name));
    must(finalize(name));
    return cluster_.get(api::kBackup, name);
  }

  std::unique_ptr<location::OpenedLocation> bucket(const std::string& location = "default") {
    const auto& locations = cluster_.context().locations;
    return TestCluster::must(locations.open(TestCluster::must(locations.find(location, {})), {}));
  }
  bucket::VerifyReport verify(const std::string& name) {
    return TestCluster::must(bucket::verify(bucket()->backups(), name, {.spool_directory = "/tmp", .limits = {}}, {}));
  }
  archive::SpooledArchive archive(const std::string& name) {
    const auto opened = bucket();
    const auto reader = TestCluster::must(opened->backups().open(name, bucket::BackupArtifact::kContents, {}));
    return TestCluster::must(archive::SpooledArchive::read(*reader, {.directory = "/tmp", .limits = {}}, {}, {}));
  }
  // "configmaps shop/web", sorted.
  std::vector<std::string> items(const std::string& name) {
    std::vector<std::string> names;
    const archive::SpooledArchive whole = archive(name);
    for (const archive::IndexedItem& item : whole.index().items()) {
      names.push_back(to_string(k8s::ObjectRef{.resource = item.resource(),
                                               .name_space = std::string(item.namespace_name()),
                                               .name = std::string(item.name())}));
    }
    std::ranges::sort(names);
    return names;
  }

 private:
  static void must(const Status& status) {
    if (!status) throw std::runtime_error(status.error().message());
  }
  static Status call(kube::Reconciler& reconciler, const std::string& name, const std::stop_token& stop) {
    TRY("", reconciler.reconcile({"velero", name}, stop));
    return {};
  }

  TestCluster& cluster_;
  const BackupSettings settings_;
  BackupRunReconciler run_{cluster_.context(), settings_};
  BackupOperationsReconciler operations_{cluster_.context(), settings_};
  BackupFinalizerReconciler finalizer_{cluster_.context(), settings_};
};

}  // namespace landfall::control
