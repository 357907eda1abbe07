#include "cli_admin/debug_collect.h"

#include <fmt/format.h>

#include "api/names.h"
#include "base/strings.h"
#include "cli/build_info.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/pod_logs.h"
#include "kube/resource.h"

namespace landfall::cli {

using json::Json;

namespace {

constexpr std::int64_t kLogLines = 200'000;
constexpr std::int64_t kLogBytes = std::int64_t{64} << 20U;

// One of those that somebody installed for us, or that were made to move data.
bool is_ours(const Json& pod) {
  const auto labels = k8s::ObjectView(pod).labels().copy();
  for (const auto& [key, value] : labels) {
    if ((key == "component" && value == "velero") || key.starts_with("velero.io/")) return true;
  }
  return false;
}

// Velero's clusters lack the kinds that are Landfall's own; that is not worth a word.
bool is_not_served(const Error& error) { return error.code() == Code::kNotFound; }

}  // namespace

Status DebugCollector::versions() {
  say_("versions");
  TRY("", bundle_.add_stream("version.txt", "the versions of this program and of the server",
                             [&](io::Writer& to) { return run_({"version", "--timeout", "3s"}, to); }));
  const auto answer = client_.call({.path = "/version"}, context_.stop);
  if (!answer) {
    bundle_.miss("the version of Kubernetes", answer.error());
    return {};
  }
  return bundle_.add_text("kubernetes-version.json", "the version of Kubernetes", answer->body);
}

Status DebugCollector::objects_of(const k8s::GroupVersionResource& resource, const std::string& selector) {
  const std::string kind = resource.resource + (resource.group.empty() ? "" : "." + resource.group);
  const kube::Resource objects(client_, resource, global_.namespace_name);
  const auto all = objects.list({.label_selector = selector}, context_.stop);
  if (!all) {
    if (!is_not_served(all.error())) bundle_.miss(kind, all.error());
    return {};
  }
  for (const Json& object : all->items) {
    const std::string name(k8s::ObjectView(object).name());
    TRY("", bundle_.add_object(fmt::format("objects/{}/{}.yaml", kind, name), object));
  }
  return {};
}

Status DebugCollector::objects() {
  say_("objects of velero.io in namespace " + global_.namespace_name);
  for (const api::Kind& kind : api::kAllKinds) TRY("", objects_of(kind.resource(), ""));
  const std::string selector = "component=velero";
  TRY("", objects_of({"apps", "v1", "deployments"}, selector));
  TRY("", objects_of({"apps", "v1", "daemonsets"}, selector));
  return objects_of({"", "v1", "pods"}, selector);
}

Status DebugCollector::events() {
  say_("events of the namespace");
  const auto all = kube::Resource(client_, {"", "v1", "events"}, global_.namespace_name).list({}, context_.stop);
  if (!all) {
    bundle_.miss("events", all.error());
    return {};
  }
  Json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", Json::array()}};
  for (const Json& event : all->items) {
    Json copy = event;
    if (copy.contains("metadata")) copy["metadata"].erase("managedFields");
    list["items"].push_back(std::move(copy));
  }
  return bundle_.add_object("events.yaml", std::move(list));
}

Status DebugCollector::logs_of(const Json& pod) {
  const std::string name(k8s::ObjectView(pod).name());
  const auto read = [&](const std::string& container, bool previous) {
    return [&, container, previous](io::Writer& to) {
      return kube::read_pod_log(
          client_,
          {.name_space = global_.namespace_name,
           .pod = name,
           .container = container,
           .previous = previous,
           .timestamps = true,
           .tail_lines = kLogLines,
           .limit_bytes = kLogBytes},
          [&](std::string_view bytes) -> Result<bool> {
            TRY("", to.write(bytes));
            return true;
          },
          context_.stop);
    };
  };
  for (const char* field : {"initContainerStatuses", "containerStatuses"}) {
    const Json* containers = json::find(pod, {"status", field});
    if (containers == nullptr || !containers->is_array()) continue;
    for (const Json& one : *containers) {
      const std::string container = json::string_or(one, {"name"}, "");
      const std::string file = fmt::format("logs/{}/{}", name, container);
      const std::string what = fmt::format("the log of pod {}, container {}", name, container);
      TRY("", bundle_.add_stream(file + ".log", what, read(container, false)));
      if (json::int_or(one, {"restartCount"}, 0) == 0) continue;
      TRY("", bundle_.add_stream(file + ".previous.log", what + ", before its last restart", read(container, true)));
    }
  }
  return {};
}

Status DebugCollector::pod_logs() {
  say_("logs of the server and the node agents");
  const auto pods = kube::Resource(client_, {"", "v1", "pods"}, global_.namespace_name).list({}, context_.stop);
  if (!pods) {
    bundle_.miss("logs of pods", pods.error());
    return {};
  }
  bool has_any = false;
  for (const Json& pod : pods->items) {
    if (!is_ours(pod)) continue;
    has_any = true;
    TRY("", logs_of(pod));
  }
  if (!has_any) {
    bundle_.miss("logs of pods", Error(Code::kNotFound, "no pod in namespace " + global_.namespace_name +
                                                            " has the label component=velero: the server may run "
                                                            "outside of the cluster"));
  }
  return {};
}

Status DebugCollector::operation(const std::string& kind, const std::string& name) {
  say_(kind + " " + name);
  TRY("", bundle_.add_stream(fmt::format("{}_describe_{}.txt", kind, name),
                             fmt::format("{} describe {} --details", kind, name),
                             [&](io::Writer& to) { return run_({kind, "describe", name, "--details"}, to); }));
  return bundle_.add_stream(fmt::format("{}_{}.log", kind, name), fmt::format("{} logs {}", kind, name),
                            [&](io::Writer& to) { return run_({kind, "logs", name}, to); });
}

}  // namespace landfall::cli
