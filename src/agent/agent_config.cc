#include "agent/agent_config.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/quote.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::agent {

using json::Json;

namespace {

Result<int> positive(const Json& config, const json::Path& path) {
  TRY_ASSIGN(const std::int64_t number, "", json::int_at(config, path));
  if (number < 1 || number > std::numeric_limits<int>::max()) {
    return fail(Code::kInvalid, "expected a number from 1 on, not " + std::to_string(number));
  }
  return static_cast<int>(number);
}

Result<std::optional<int>> of_node(const Json& rule, const Json& node) {
  TRY_ASSIGN(const k8s::LabelSelector selector, "nodeSelector",
             k8s::label_selector_from_json(json::find(rule, {"nodeSelector"})));
  const auto labels = k8s::ObjectView(node).labels();
  if (!selector.matches([&](const std::string& key) { return labels.get(key); })) return std::optional<int>();
  TRY_ASSIGN(const int number, "number", positive(rule, {"number"}));
  return std::optional(number);
}

}  // namespace

Result<int> concurrency_in(const Json& config, const Json& node) {
  const Json* const load = json::find(config, {"loadConcurrency"});
  if (load == nullptr || load->is_null()) return 1;
  std::optional<int> smallest;
  if (const Json* const rules = json::find(*load, {"perNodeConfig"}); rules != nullptr && rules->is_array()) {
    for (const Json& rule : *rules) {
      TRY_ASSIGN(const std::optional<int> number, "loadConcurrency.perNodeConfig", of_node(rule, node));
      if (number) smallest = std::min(smallest.value_or(*number), *number);
    }
  }
  if (smallest) return *smallest;
  if (!json::has(*load, {"globalConfig"})) return 1;
  TRY_ASSIGN(const int global, "loadConcurrency.globalConfig", positive(*load, {"globalConfig"}));
  return global;
}

Result<int> configured_concurrency(kube::Client& client, const std::string& name_space, const std::string& config_map,
                                   const std::string& node, const std::stop_token& stop) {
  const std::string title = "ConfigMap " + quote(config_map);
  TRY_ASSIGN(const Json found, title,
             kube::Resource(client, {"", "v1", "configmaps"}, name_space).get(config_map, stop));
  const Json* const data = json::find(found, {"data"});
  if (data == nullptr || !data->is_object() || data->size() != 1) {
    return fail(Code::kInvalid, title + ": expected one key with the configuration of node agents");
  }
  TRY_ASSIGN(const Json config, title, json::parse(json::string_or(*data->begin(), {}, "")));
  TRY_ASSIGN(const Json labels, "node " + quote(node), kube::Resource(client, {"", "v1", "nodes"}).get(node, stop));
  TRY_ASSIGN(const int concurrency, title, concurrency_in(config, labels));
  return concurrency;
}

}  // namespace landfall::agent
