#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"

namespace landfall::modifiers {

struct Rule;

// What users want changed in objects on their way into the cluster: spec.resourceModifier of a Restore. Immutable, and
// safe to ask from several threads.
class ResourceModifiers {
 public:
  // From the ConfigMap: exactly one key, YAML in Velero's form. kInvalid says which rule and field, and what is wrong.
  static Result<ResourceModifiers> from_config_map(const json::Json& config_map);
  static Result<ResourceModifiers> parse(std::string_view yaml);

  // Whether any rule may be for objects of the kind; others need not be asked about.
  bool sees(const k8s::GroupResource& resource) const;

  // Applies the rules that match the object as it was at first, in order. The object still has its namespace in the
  // backup. What failed is returned; the object is then as the other rules made it, and is still restored.
  std::vector<std::string> apply(const k8s::GroupResource& resource, json::Json& object) const;

 private:
  explicit ResourceModifiers(std::vector<Rule> rules);

  std::shared_ptr<const std::vector<Rule>> rules_;
};

}  // namespace landfall::modifiers
