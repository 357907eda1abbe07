#pragma once

#include <fmt/format.h>

#include <stop_token>
#include <utility>
#include <vector>

#include "api/names.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "control/context.h"
#include "json/json.h"
#include "kube/resource.h"

namespace landfall::control {

// VolumePluginBackups and -Restores as far as this cluster has them. Installations of Velero lack both kinds, and a
// server may not be allowed to see them: then there are none, which changes nothing about the snapshots themselves.
// Thread-safe.
class PluginResources {
 public:
  // The context is borrowed. What is forbidden is warned of once.
  PluginResources(const Context& context, Logger log) : context_(context), log_(std::move(log)) {}

  Result<std::vector<json::Json>> list(const api::Kind& kind, const kube::ListOptions& which,
                                       const std::stop_token& stop) {
    auto all = context_.objects(kind).list(which, stop);
    if (!all && are_missing(all.error())) return std::vector<json::Json>();
    if (!all) return fail(fmt::format("list {}s", kind.name), std::move(all).error());
    return std::move(all->items);
  }

  // Whether a call about one, or about all, has failed only for want of the kind, of the right, or of the one.
  bool are_missing(const Error& error) {
    if (error.code() == Code::kNotFound) return true;
    if (error.code() != Code::kForbidden) return false;
    const bool is_first = has_warned_.with([](bool& has_warned) { return !std::exchange(has_warned, true); });
    if (is_first) {
      log_.warning("This server may not see what plugins tell about snapshots, and does without", {LogField(error)});
    }
    return true;
  }

 private:
  const Context& context_;
  const Logger log_;
  Guarded<bool> has_warned_{false};
};

}  // namespace landfall::control
