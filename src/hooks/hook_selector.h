#pragma once

#include <optional>

#include "api/hooks.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/label_selector.h"
#include "kube/discovery.h"
#include "selection/includes_excludes.h"

namespace landfall::hooks {

// For which pods an entry of spec.hooks.resources is. An immutable value.
class HookSelector {
 public:
  // kInvalid for a pattern that cannot be read. The discovery is needed only during the call.
  static Result<HookSelector> make(const api::HookFilter& filter, const kube::Discovery& discovery);

  // Whether its resources are pods at all; hooks on anything else never run.
  bool is_for_pods() const { return is_for_pods_; }
  // By namespace and labels; an entry without a selector takes all labels.
  bool matches(const json::Json& pod) const;

 private:
  bool is_for_pods_ = false;
  selection::IncludesExcludes namespaces_;
  std::optional<k8s::LabelSelector> labels_;
};

}  // namespace landfall::hooks
