#include "plugin_local/progress_resource.h"

#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "base/random.h"
#include "base/rfc3339.h"
#include "io/process.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "kube/client.h"
#include "kube/config.h"
#include "kube/resource.h"

namespace landfall::plugin_local {
namespace {

using json::Json;

std::string tag(const Task& task, const std::string& key) {
  const auto found = task.tags.find(key);
  return found == task.tags.end() ? "" : found->second;
}

Json status_of(const Task& task) {
  Json status = {{"phase", task.phase},
                 {"message", task.message},
                 {"progress", {{"totalBytes", task.counts.total_bytes}, {"bytesDone", task.counts.bytes_done}}}};
  if (task.started) status["startTimestamp"] = format_rfc3339(*task.started);
  if (task.completed) status["completionTimestamp"] = format_rfc3339(*task.completed);
  status[task.kind == TaskKind::kSnapshot ? "snapshotID" : "volumeID"] =
      task.kind == TaskKind::kSnapshot ? task.id : task.volume_id;
  return status;
}

Json object_of(const Task& task, const api::Kind& kind, const std::string& name_space) {
  Json object = {{"apiVersion", kind.api_version()},
                 {"kind", std::string(kind.name)},
                 {"metadata", {{"namespace", name_space}}},
                 {"spec",
                  {{"backup", tag(task, "velero.io/backup")},
                   {"plugin", std::string(kPluginName)},
                   {"pluginSpecific", plugin_specific(task)}}},
                 {"status", status_of(task)}};
  if (task.kind == TaskKind::kSnapshot) {
    object["metadata"]["name"] = task.id;
    object["spec"]["volume"] = tag(task, "velero.io/pv");
  } else {
    object["metadata"]["name"] = task.resource.empty() ? task.id : task.resource;
    object["spec"]["snapshotID"] = task.snapshot_id;
  }
  if (const std::string backup = tag(task, "velero.io/backup"); !backup.empty()) {
    object["metadata"]["labels"] = {{std::string(api::label::kBackupName), k8s::label_safe(backup)}};
  }
  return object;
}

}  // namespace

struct ProgressResource::Impl {
  std::unique_ptr<io::ProcessRunner> processes;
  std::unique_ptr<kube::Connection> connection;
  std::unique_ptr<kube::Client> client;
  std::string name_space;

  kube::Resource resource(const Task& task) const { return {*client, kind(task).resource(), name_space}; }
  static const api::Kind& kind(const Task& task) {
    return task.kind == TaskKind::kSnapshot ? api::kVolumePluginBackup : api::kVolumePluginRestore;
  }
};

ProgressResource::ProgressResource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProgressResource::~ProgressResource() = default;

Result<std::unique_ptr<ProgressResource>> ProgressResource::open(const Environment& environment, Clock& clock) {
  auto impl = std::make_unique<Impl>();
  TRY_ASSIGN(kube::Config config, "", kube::load_config({}, environment));
  impl->processes = io::make_system_process_runner(clock);
  TRY_ASSIGN(impl->connection, "",
             kube::Connection::create(std::move(config), environment, *impl->processes, clock, Logger()));
  kube::ClientOptions options;
  options.timeout = std::chrono::seconds(10);
  options.user_agent = "landfall-plugin-local";
  impl->client = std::make_unique<kube::Client>(*impl->connection, options, clock, system_random(), Logger());
  impl->name_space = environment.get_or("VELERO_NAMESPACE", std::string(api::kDefaultNamespace));
  return std::unique_ptr<ProgressResource>(new ProgressResource(std::move(impl)));  // allow-call: private constructor
}

Result<ProgressResource::Written> ProgressResource::write(const Task& task, const std::stop_token& stop) {
  const kube::Resource resource = impl_->resource(task);
  const Json object = object_of(task, Impl::kind(task), impl_->name_space);
  const std::string name = json::string_or(object, {"metadata", "name"}, "");
  if (task.resource.empty()) {
    auto created = resource.create(object, stop);
    if (created) return Written{.name = name, .is_cancelled = json::bool_or(*created, {"spec", "cancel"}, false)};
    if (created.error().code() != Code::kAlreadyExists) return fail("create " + name, std::move(created).error());
  }
  Json patch = {{"spec", object.at("spec")}, {"status", object.at("status")}};
  if (object.at("metadata").contains("labels")) patch["metadata"]["labels"] = object.at("metadata").at("labels");
  // One that the server has made on our behalf is ours from now on: two that write it would contradict each other.
  patch["metadata"]["annotations"][std::string(api::annotation::kWrittenByServer)] = nullptr;
  auto patched = resource.patch(name, kube::PatchType::kMerge, patch, stop);
  if (patched) return Written{.name = name, .is_cancelled = json::bool_or(*patched, {"spec", "cancel"}, false)};
  if (patched.error().code() == Code::kNotFound) return fail(Code::kGone, name + " has been deleted");
  return fail("update " + name, std::move(patched).error());
}

}  // namespace landfall::plugin_local
