#include <map>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "json/json.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/prepare_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Amounts = std::map<std::string, Quantity>;

bool counts_for_quality(std::string_view resource) { return resource == "cpu" || resource == "memory"; }

// The amounts above zero.
Amounts amounts_in(const Json& container, std::string_view list) {
  Amounts amounts;
  const Json* const resources = object_in(container, "resources");
  const Json* const given = resources == nullptr ? nullptr : object_in(*resources, list);
  if (given == nullptr) {
    return amounts;
  }
  for (const auto& [name, amount] : given->items()) {
    if (!counts_for_quality(name) || !amount.is_string()) {
      continue;
    }
    if (const auto quantity = Quantity::parse(amount.get_ref<const std::string&>());
        quantity && *quantity > Quantity()) {
      amounts[name] = *quantity;
    }
  }
  return amounts;
}

}  // namespace

const char* quality_of_service(const Json& pod_spec) {
  Amounts requests;
  Amounts limits;
  bool all_are_limited = true;
  for (const std::string_view list : {"containers", "initContainers"}) {
    each_object(pod_spec, list, [&](const Json& container) {
      for (const auto& [name, amount] : amounts_in(container, "requests")) {
        requests[name] += amount;
      }
      const Amounts own = amounts_in(container, "limits");
      for (const auto& [name, amount] : own) {
        limits[name] += amount;
      }
      all_are_limited = all_are_limited && own.size() == 2;
    });
  }
  if (requests.empty() && limits.empty()) {
    return "BestEffort";
  }
  return all_are_limited && requests == limits ? "Guaranteed" : "Burstable";
}

void keep_quality_of_service(const Json& old, Json& next) {
  const Json* const before = object_in(old, "status");
  const Json* const quality = before == nullptr ? nullptr : value_in(*before, "qosClass");
  if (Json* const status = make_object(next, "status"); status != nullptr && quality != nullptr) {
    (*status)["qosClass"] = *quality;
  }
}

}  // namespace landfall::sandbox
