#include "hooks/restore_hooks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/labels.h"
#include "base/digest.h"
#include "base/go_duration.h"
#include "base/quote.h"
#include "hooks/hook_command.h"
#include "hooks/hook_container.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::hooks {
namespace {

using json::Json;

constexpr std::string_view kGeneratedName = "velero-restore-init-";
constexpr std::size_t kGeneratedLength = 8;

// The annotations of one hook, and what is passed over in them.
class Annotations {
 public:
  Annotations(const Json& pod, std::string_view prefix)
      : annotations_(k8s::ObjectView(pod).annotations()), prefix_(prefix) {}

  std::string text(std::string_view key) const {
    return std::string(annotations_.get(std::string(prefix_).append(key)).value_or(""));
  }

  Duration duration(std::string_view key) {
    const std::string written = text(key);
    if (written.empty()) return {};
    const auto parsed = parse_go_duration(written);
    if (!parsed) pass_over(key, written, parsed.error().message());
    return parsed.value_or(Duration::zero());
  }

  // The words that Go reads as a boolean.
  bool flag(std::string_view key) {
    static constexpr auto kYes = std::to_array<std::string_view>({"1", "t", "T", "TRUE", "true", "True"});
    static constexpr auto kNo = std::to_array<std::string_view>({"", "0", "f", "F", "FALSE", "false", "False"});
    const std::string written = text(key);
    if (std::ranges::find(kYes, written) != kYes.end()) return true;
    if (std::ranges::find(kNo, written) == kNo.end()) pass_over(key, written, "neither true nor false");
    return false;
  }

  const std::string& warning() const { return warning_; }

 private:
  void pass_over(std::string_view key, const std::string& written, std::string_view why) {
    if (!warning_.empty()) warning_ += "; ";
    warning_ +=
        std::string(prefix_).append(key).append(": passed over ").append(quote(written)).append(": ").append(why);
  }

  k8s::StringMapView annotations_;
  std::string_view prefix_;
  std::string warning_;
};

Duration effective(Duration timeout) {
  if (timeout == Duration::zero()) return PlannedHook::kDefaultTimeout;
  return timeout < Duration::zero() ? PlannedHook::kLongestTimeout : timeout;
}

std::optional<Duration> effective_wait(Duration timeout) {
  return timeout > Duration::zero() ? std::optional(timeout) : std::nullopt;
}

PlannedRestoreHook from_annotations(Annotations annotations) {
  PlannedRestoreHook planned{.hook = {.source = HookSource::kAnnotation,
                                      .name = "<from-annotation>",
                                      .container = annotations.text("container"),
                                      .command = parse_hook_command(annotations.text("command")),
                                      .on_error = api::parse_name<api::HookErrorMode>(annotations.text("on-error")),
                                      .timeout = effective(annotations.duration("exec-timeout"))},
                             .wait_timeout = effective_wait(annotations.duration("wait-timeout")),
                             .waits_for_ready = annotations.flag("wait-for-ready")};
  planned.hook.warning = annotations.warning();
  return planned;
}

PlannedRestoreHook from_spec(const std::string& name, const api::ExecHook& exec) {
  return {.hook = {.source = HookSource::kSpec,
                   .name = name,
                   .container = exec.container,
                   .command = exec.command,
                   .on_error = exec.on_error,
                   .timeout = effective(exec.timeout.value_or(Duration::zero()))},
          .wait_timeout = effective_wait(exec.wait_timeout.value_or(Duration::zero())),
          .waits_for_ready = exec.wait_for_ready};
}

// Velero's rule for containers that a spec adds.
Status check_init_container(const Json& container) {
  for (const std::string_view field : {"name", "image"}) {
    if (json::string_or(container, {field}, "").empty()) {
      return fail(Code::kInvalid, std::string(field) + ": missing; an init container needs name, image and command");
    }
  }
  const Json* command = json::find(container, {"command"});
  if (command == nullptr || !command->is_array() || command->empty()) {
    return fail(Code::kInvalid, "command: missing; an init container needs name, image and command");
  }
  return {};
}

Json annotated_container(const Json& pod, const Annotations& annotations) {
  std::string name = annotations.text("container-name");
  if (name.empty()) {
    const std::string digest = sha256_hex(k8s::to_string(k8s::ObjectView(pod).namespaced_name()));
    name = std::string(kGeneratedName) + digest.substr(0, kGeneratedLength);
  }
  Json container = {{"name", std::move(name)}, {"image", annotations.text("container-image")}};
  // Without a command the image's own is run.
  const std::string written = annotations.text("command");
  std::vector<std::string> command = written.empty() ? std::vector<std::string>() : parse_hook_command(written);
  if (!command.empty()) container["command"] = std::move(command);
  return container;
}

}  // namespace

Result<RestoreHooks> RestoreHooks::make(std::vector<api::RestoreHooks> spec, const kube::Discovery& discovery) {
  RestoreHooks hooks;
  std::size_t index = 0;
  for (api::RestoreHooks& entry : spec) {
    const std::string place = "spec.hooks.resources[" + std::to_string(index) + "]";
    ++index;
    entry.filter.included_resources.clear();
    entry.filter.excluded_resources.clear();
    TRY_ASSIGN(HookSelector selector, place, HookSelector::make(entry.filter, discovery));
    for (const Json* container : entry.init_containers) {
      TRY(place + ": an init container", check_init_container(*container));
    }
    if (entry.exec.empty() && entry.init_containers.empty()) continue;
    hooks.entries_.push_back({.name = std::move(entry.filter.name),
                              .selector = std::move(selector),
                              .exec = std::move(entry.exec),
                              .init_containers = std::move(entry.init_containers)});
  }
  return hooks;
}

std::vector<Json> RestoreHooks::init_containers(const Json& pod) const {
  std::vector<Json> containers;
  const Annotations annotations(pod, api::annotation::kInitRestoreHook);
  if (!annotations.text("container-image").empty()) {
    containers.push_back(annotated_container(pod, annotations));
    return containers;
  }
  for (const Entry& entry : entries_) {
    if (entry.init_containers.empty() || !entry.selector.matches(pod)) continue;
    for (const Json* container : entry.init_containers) containers.push_back(*container);
  }
  return containers;
}

std::vector<PlannedRestoreHook> RestoreHooks::exec_hooks(const Json& pod, std::vector<std::string>& warnings) const {
  std::vector<PlannedRestoreHook> wanted;
  const Annotations annotations(pod, api::annotation::kPostRestoreHook);
  if (!annotations.text("command").empty()) {
    wanted.push_back(from_annotations(annotations));
  } else {
    for (const Entry& entry : entries_) {
      if (entry.exec.empty() || !entry.selector.matches(pod)) continue;
      for (const api::ExecHook& exec : entry.exec) wanted.push_back(from_spec(entry.name, exec));
    }
  }
  std::vector<PlannedRestoreHook> planned;
  for (PlannedRestoreHook& one : wanted) {
    auto container = hook_container(pod, one.hook.container);
    if (!container) {
      warnings.push_back("restore hook " + quote(one.hook.name) + " is left out: " + container.error().message());
      continue;
    }
    one.hook.container = *std::move(container);
    if (one.hook.command.empty()) one.hook.runnable = fail(Code::kInvalid, "the command is empty");
    planned.push_back(std::move(one));
  }
  return planned;
}

}  // namespace landfall::hooks
