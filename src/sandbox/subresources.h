#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox/api.h"
#include "sandbox/authenticator.h"

// The parts of objects that have a path of their own and are no plain views of the object.
namespace landfall::sandbox {

// The autoscaling/v1 Scale of an object.
Result<json::Json> get_scale(const Api& api, const KindInfo& kind, std::string_view name_space, std::string_view name);
// Lets `change` make the next Scale from the present one and takes its replicas over.
Result<json::Json> write_scale(Api& api, const KindInfo& kind, std::string_view name_space, std::string_view name,
                               const std::function<Result<json::Json>(const json::Json&)>& change,
                               WriteOptions options);

// Puts a pod on a node.
Result<json::Json> bind_pod(Api& api, std::string_view name_space, std::string_view name, const json::Json& binding,
                            bool dry_run);
// Deletes a pod. Disruption budgets that allow nothing refuse it with 429.
Result<json::Json> evict_pod(Api& api, std::string_view name_space, std::string_view name, const json::Json& eviction,
                             bool dry_run);
// Replaces the finalizers in a namespace's spec.
Result<Written> finalize_namespace(Api& api, std::string_view name, const json::Json& object, bool dry_run);
// A token for a service account.
Result<json::Json> request_token(Api& api, const Authenticator& authenticator, std::string_view name_space,
                                 std::string_view name, json::Json request);

}  // namespace landfall::sandbox
