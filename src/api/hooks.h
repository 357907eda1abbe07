#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/enum_names.h"
#include "api/field_reader.h"
#include "base/clock.h"
#include "json/json_fwd.h"
#include "k8s/label_selector.h"

// spec.hooks of Backups and Restores: what is run in which pods.
namespace landfall::api {

enum class HookErrorMode : std::uint8_t { kContinue, kFail };
template <>
struct EnumNames<HookErrorMode> {
  static constexpr auto kValue = std::to_array<std::string_view>({"Continue", "Fail"});
};

// For which pods. Empty lists mean all.
struct HookFilter {
  std::string name;
  std::vector<std::string> included_namespaces;
  std::vector<std::string> excluded_namespaces;
  std::vector<std::string> included_resources;
  std::vector<std::string> excluded_resources;
  std::optional<k8s::LabelSelector> selector;
};

struct ExecHook {
  std::vector<std::string> command;  // at least one word
  std::string container;             // empty: the pod's first
  // Velero documents Fail for none, but treats it as Continue.
  std::optional<HookErrorMode> on_error;
  // Nothing or 0 is the default of whoever runs it: 30 s to run, no limit to wait.
  std::optional<Duration> timeout;
  // Of restores only.
  std::optional<Duration> wait_timeout;
  bool wait_for_ready = false;
};

struct BackupHooks {
  HookFilter filter;
  std::vector<ExecHook> pre;
  std::vector<ExecHook> post;
};

struct RestoreHooks {
  HookFilter filter;
  std::vector<ExecHook> exec;
  // Containers as a pod has them; they point into the document.
  std::vector<const json::Json*> init_containers;
};

// `spec` is the reader of a spec.
std::vector<BackupHooks> read_backup_hooks(FieldReader& spec);
std::vector<RestoreHooks> read_restore_hooks(FieldReader& spec);

}  // namespace landfall::api
