#include "hooks/hook_container.h"

#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::hooks {
namespace {

using json::Json;

const Json* find_by_name(const Json& pod, std::string_view list, std::string_view name) {
  const Json* containers = json::find(pod, {"spec", list});
  if (containers == nullptr || !containers->is_array()) return nullptr;
  for (const Json& container : *containers) {
    if (json::string_or(container, {"name"}, "") == name) return &container;
  }
  return nullptr;
}

}  // namespace

Result<std::string> hook_container(const Json& pod, std::string_view wanted) {
  if (wanted.empty()) {
    std::string first = json::string_or(pod, {"spec", "containers", "0", "name"}, "");
    if (first.empty()) return fail(Code::kInvalid, "the pod has no container to run in");
    return first;
  }
  if (find_by_name(pod, "containers", wanted) != nullptr) return std::string(wanted);
  const Json* init = find_by_name(pod, "initContainers", wanted);
  if (init == nullptr) return fail(Code::kInvalid, "no such container: " + quote(wanted));
  if (json::string_or(*init, {"restartPolicy"}, "") == "Always") return std::string(wanted);
  return fail(Code::kInvalid, "container " + quote(wanted) +
                                  " is an init container that does not keep running (its restartPolicy is not Always)");
}

}  // namespace landfall::hooks
