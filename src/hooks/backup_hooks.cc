#include "hooks/backup_hooks.h"

#include <algorithm>
#include <utility>

#include "api/labels.h"
#include "base/go_duration.h"
#include "base/quote.h"
#include "hooks/hook_command.h"
#include "hooks/hook_container.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::hooks {
namespace {

std::string text_of(const k8s::StringMapView& annotations, std::string_view prefix, std::string_view key) {
  return std::string(annotations.get(std::string(prefix).append(key)).value_or(""));
}

bool has_command(const k8s::StringMapView& annotations, std::string_view prefix) {
  return !text_of(annotations, prefix, "command").empty();
}

// The prefix of the annotations that hold a hook of that phase; empty when there is none.
std::string_view annotated(const k8s::StringMapView& annotations, HookPhase phase) {
  using api::annotation::kOldPreBackupHook;
  using api::annotation::kPostBackupHook;
  using api::annotation::kPreBackupHook;
  if (phase == HookPhase::kPost) return has_command(annotations, kPostBackupHook) ? kPostBackupHook : "";
  if (has_command(annotations, kPreBackupHook)) return kPreBackupHook;
  return has_command(annotations, kOldPreBackupHook) ? kOldPreBackupHook : "";
}

Duration effective(Duration timeout) {
  if (timeout == Duration::zero()) return PlannedHook::kDefaultTimeout;
  return timeout < Duration::zero() ? PlannedHook::kLongestTimeout : timeout;
}

void place(PlannedHook& hook, const json::Json& pod, const std::string& wanted) {
  auto container = hook_container(pod, wanted);
  hook.container = container ? *container : wanted;
  if (!container) {
    hook.runnable = tl::unexpected(std::move(container).error());
  } else if (hook.command.empty()) {
    hook.runnable = fail(Code::kInvalid, "the command is empty");
  }
}

PlannedHook from_annotations(const json::Json& pod, const k8s::StringMapView& annotations, std::string_view prefix) {
  PlannedHook hook{.source = HookSource::kAnnotation,
                   .name = "<from-annotation>",
                   .command = parse_hook_command(text_of(annotations, prefix, "command")),
                   .on_error = api::parse_name<api::HookErrorMode>(text_of(annotations, prefix, "on-error"))};
  const std::string timeout = text_of(annotations, prefix, "timeout");
  if (!timeout.empty()) {
    const auto parsed = parse_go_duration(timeout);
    hook.timeout = effective(parsed.value_or(Duration::zero()));
    if (!parsed) {
      hook.warning = "Unable to parse provided timeout " + quote(timeout) + ", using default " +
                     format_go_duration(hook.timeout) + ": " + parsed.error().message();
    }
  }
  place(hook, pod, text_of(annotations, prefix, "container"));
  return hook;
}

PlannedHook from_spec(const json::Json& pod, const std::string& name, const api::ExecHook& exec) {
  PlannedHook hook{.source = HookSource::kSpec,
                   .name = name,
                   .command = exec.command,
                   .on_error = exec.on_error,
                   .timeout = effective(exec.timeout.value_or(Duration::zero()))};
  place(hook, pod, exec.container);
  return hook;
}

}  // namespace

Result<BackupHooks> BackupHooks::make(std::vector<api::BackupHooks> spec, const kube::Discovery& discovery) {
  BackupHooks hooks;
  std::size_t index = 0;
  for (api::BackupHooks& entry : spec) {
    TRY_ASSIGN(HookSelector selector, "spec.hooks.resources[" + std::to_string(index) + "]",
               HookSelector::make(entry.filter, discovery));
    ++index;
    if (!selector.is_for_pods() || (entry.pre.empty() && entry.post.empty())) continue;
    hooks.entries_.push_back({.name = std::move(entry.filter.name),
                              .selector = std::move(selector),
                              .pre = std::move(entry.pre),
                              .post = std::move(entry.post)});
  }
  return hooks;
}

std::vector<PlannedHook> BackupHooks::plan(const json::Json& pod, HookPhase phase) const {
  const k8s::StringMapView annotations = k8s::ObjectView(pod).annotations();
  if (const std::string_view prefix = annotated(annotations, phase); !prefix.empty()) {
    return {from_annotations(pod, annotations, prefix)};
  }
  std::vector<PlannedHook> planned;
  for (const Entry& entry : entries_) {
    const auto& steps = phase == HookPhase::kPre ? entry.pre : entry.post;
    if (steps.empty() || !entry.selector.matches(pod)) continue;
    for (const api::ExecHook& exec : steps) planned.push_back(from_spec(pod, entry.name, exec));
  }
  return planned;
}

bool BackupHooks::has_any(const json::Json& pod) const {
  const k8s::StringMapView annotations = k8s::ObjectView(pod).annotations();
  if (!annotations.empty() &&
      (!annotated(annotations, HookPhase::kPre).empty() || !annotated(annotations, HookPhase::kPost).empty())) {
    return true;
  }
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.selector.matches(pod); });
}

}  // namespace landfall::hooks
