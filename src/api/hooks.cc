#include "api/hooks.h"

#include "base/quote.h"
#include "json/json.h"

namespace landfall::api {
namespace {

HookFilter read_filter(FieldReader& resource) {
  return {.name = resource.text("name"),
          .included_namespaces = resource.texts("includedNamespaces"),
          .excluded_namespaces = resource.texts("excludedNamespaces"),
          .included_resources = resource.texts("includedResources"),
          .excluded_resources = resource.texts("excludedResources"),
          .selector = resource.selector("labelSelector")};
}

ExecHook read_exec(FieldReader& exec, std::string_view timeout) {
  ExecHook hook{.command = exec.texts("command"),
                .container = exec.text("container"),
                .timeout = exec.duration(timeout),
                .wait_timeout = exec.duration("waitTimeout"),
                .wait_for_ready = exec.flag("waitForReady")};
  if (hook.command.empty()) exec.note("command", "must have at least one word");
  const std::string mode = exec.text("onError");
  hook.on_error = parse_name<HookErrorMode>(mode);
  if (!mode.empty() && !hook.on_error) exec.note("onError", quote(mode) + " is neither Continue nor Fail");
  return hook;
}

std::vector<ExecHook> read_steps(FieldReader& resource, std::string_view name) {
  std::vector<ExecHook> steps;
  for (FieldReader& step : resource.children(name)) {
    FieldReader exec = step.child("exec");
    if (exec.is_there()) steps.push_back(read_exec(exec, "timeout"));
  }
  return steps;
}

}  // namespace

std::vector<BackupHooks> read_backup_hooks(FieldReader& spec) {
  std::vector<BackupHooks> hooks;
  for (FieldReader& resource : spec.child("hooks").children("resources")) {
    hooks.push_back(
        {.filter = read_filter(resource), .pre = read_steps(resource, "pre"), .post = read_steps(resource, "post")});
  }
  return hooks;
}

std::vector<RestoreHooks> read_restore_hooks(FieldReader& spec) {
  std::vector<RestoreHooks> hooks;
  for (FieldReader& resource : spec.child("hooks").children("resources")) {
    RestoreHooks one{.filter = read_filter(resource)};
    for (FieldReader& hook : resource.children("postHooks")) {
      FieldReader exec = hook.child("exec");
      if (exec.is_there()) one.exec.push_back(read_exec(exec, "execTimeout"));
      for (FieldReader& container : hook.child("init").children("initContainers")) {
        if (container.is_there()) one.init_containers.push_back(container.object());
      }
    }
    hooks.push_back(std::move(one));
  }
  return hooks;
}

}  // namespace landfall::api
