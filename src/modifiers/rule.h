#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "k8s/label_selector.h"
#include "modifiers/expression.h"
#include "selection/includes_excludes.h"

namespace landfall::modifiers {

enum class PatchKind : std::uint8_t { kJson, kMerge, kStrategic };

// One rule: for which objects, and what is done to them. Immutable once it is read.
struct Rule {
  std::string place;  // "resourceModifierRules[2]"

  Expression resource;
  selection::IncludesExcludes namespaces;  // in the backup; objects without a namespace pass
  std::optional<Expression> name;
  std::optional<k8s::LabelSelector> labels;
  std::shared_ptr<const json::Json> tests;  // a JSON patch of tests; null: none

  PatchKind kind = PatchKind::kJson;
  std::shared_ptr<const json::Json> patches;  // one JSON patch, or a list of merge patches
};

bool sees(const Rule& rule, const k8s::GroupResource& resource);

// kInvalid for a test that cannot be made on the object; a path that it does not have is no match.
Result<bool> matches(const Rule& rule, const k8s::GroupResource& resource, const json::Json& object);

// On an error the object is as it was. A "test" operation that fails leaves it as it was, too, and is none.
Status apply(const Rule& rule, json::Json& object);

}  // namespace landfall::modifiers
