#include "modifiers/resource_modifiers.h"

#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "modifiers/rule.h"
#include "modifiers/rule_reader.h"

namespace landfall::modifiers {

ResourceModifiers::ResourceModifiers(std::vector<Rule> rules)
    : rules_(std::make_shared<const std::vector<Rule>>(std::move(rules))) {}

Result<ResourceModifiers> ResourceModifiers::from_config_map(const json::Json& config_map) {
  const std::string context = "ConfigMap " + k8s::to_string(k8s::ObjectView(config_map).namespaced_name());
  TRY_ASSIGN(const json::StringMap data, context, json::string_map_at(config_map, {"data"}));
  if (data.size() != 1) {
    return fail(Code::kInvalid, context + ": expected exactly one key with the rules in it, found " +
                                    std::to_string(data.size()) + " keys");
  }
  TRY_ASSIGN(ResourceModifiers modifiers, context + ": " + data.begin()->first, parse(data.begin()->second));
  return modifiers;
}

Result<ResourceModifiers> ResourceModifiers::parse(std::string_view yaml) {
  TRY_ASSIGN(std::vector<Rule> rules, "", read_rules(yaml));
  return ResourceModifiers(std::move(rules));
}

bool ResourceModifiers::sees(const k8s::GroupResource& resource) const {
  return std::ranges::any_of(*rules_, [&](const Rule& rule) { return modifiers::sees(rule, resource); });
}

std::vector<std::string> ResourceModifiers::apply(const k8s::GroupResource& resource, json::Json& object) const {
  std::vector<std::string> failures;
  std::vector<const Rule*> matching;
  for (const Rule& rule : *rules_) {
    const auto is_match = matches(rule, resource, object);
    if (!is_match) failures.push_back(is_match.error().message());
    if (is_match.value_or(false)) matching.push_back(&rule);
  }
  for (const Rule* rule : matching) {
    const Status applied = modifiers::apply(*rule, object);
    if (!applied) failures.push_back(applied.error().message());
  }
  return failures;
}

}  // namespace landfall::modifiers
