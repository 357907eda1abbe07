#include "restore/preview_target.h"

#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "kube/resource.h"
#include "restore/existing_object.h"

namespace landfall::restore {
namespace {

using progress::Outcome;

void foresee(ItemEnd& end, Outcome outcome, Listed listed, Prediction prediction, std::string reason = {}) {
  end.outcome = outcome;
  end.listed = listed;
  end.forecast = PlannedGroup::Forecast{.prediction = prediction, .reason = std::move(reason)};
}

void foresee(ItemEnd& end, const ExistingObject& compared) {
  switch (compared.fate()) {
    case ExistingFate::kUnchanged:
      return foresee(end, Outcome::kUnchanged, Listed::kSkipped, Prediction::kUnchanged);
    case ExistingFate::kRelabel:
      return foresee(end, Outcome::kUnchanged, Listed::kSkipped, Prediction::kUnchanged,
                     "it gets the restore's labels");
    case ExistingFate::kMerge:
      return foresee(end, Outcome::kUpdated, Listed::kUpdated, Prediction::kUpdate, "it gets what it lacks");
    case ExistingFate::kUpdate:
      return foresee(end, Outcome::kUpdated, Listed::kUpdated, Prediction::kUpdate,
                     "it differs at " + join(compared.differences(), ", "));
    case ExistingFate::kConflict:
      return foresee(end, Outcome::kSkipped, Listed::kFailed, Prediction::kConflict,
                     "it is there, differs at " + join(compared.differences(), ", ") + ", and would be left as it is");
  }
}

}  // namespace

Result<std::unique_ptr<json::Json>> PreviewTarget::put(const Candidate& candidate, bool /*wants_created*/, ItemEnd& end,
                                                       const std::stop_token& stop) {
  const bool can_exist = live_.find(candidate.resource) != nullptr &&
                         (candidate.name_space.empty() || namespaces_.contains(candidate.name_space));
  if (!can_exist) {
    foresee(end, Outcome::kCreated, Listed::kCreated, Prediction::kCreate);
    return nullptr;
  }
  auto live = kube::Resource(tools_.client, candidate.resource, candidate.name_space).get(candidate.name, stop);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!live) {
    if (live.error().code() == Code::kNotFound) {
      foresee(end, Outcome::kCreated, Listed::kCreated, Prediction::kCreate);
    } else {
      foresee(end, Outcome::kFailed, Listed::kFailed, Prediction::kFail, live.error().message());
    }
    return nullptr;
  }
  end.exists = true;
  const auto compared = ExistingObject::compare(*std::move(live), candidate.object,
                                                {candidate.resource.group, candidate.resource.resource},
                                                job_.spec.existing_resource_policy);
  if (!compared) {
    foresee(end, Outcome::kSkipped, Listed::kFailed, Prediction::kConflict, compared.error().message());
  } else {
    foresee(end, *compared);
  }
  return nullptr;
}

Result<bool> PreviewTarget::ensure_namespace(const std::string& name, const json::Json* /*source*/,
                                             const std::stop_token& /*stop*/) {
  return !namespaces_.contains(name);
}

}  // namespace landfall::restore
