#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox_kinds/validation.h"

namespace landfall::sandbox {

// The structural schema of one version of a custom resource, compiled. Immutable and thread-safe.
//
// apiVersion, kind and metadata are the server's at the root and in embedded resources: the schema never prunes them.
// Not checked: CEL rules (x-kubernetes-validations), and patterns that our matcher does not support or that are too
// costly (crd_schema_pattern.h).
class CrdSchema {
 public:
  ~CrdSchema();
  CrdSchema(const CrdSchema&) = delete;
  CrdSchema& operator=(const CrdSchema&) = delete;

  // kInvalid names the place in the schema ("properties.spec.type: …"); kTooLarge: deeper or larger than we allow.
  // `preserve_unknown` is spec.preserveUnknownFields of old definitions: nothing is pruned.
  static Result<std::shared_ptr<const CrdSchema>> parse(const json::Json& schema, bool preserve_unknown);

  // Takes away the fields that the schema does not know. Returns their paths ("spec.colour"), sorted, for
  // fieldValidation; at most a hundred of them.
  std::vector<std::string> prune(json::Json& object) const;
  // Fills in the defaults of missing fields, and of those that are null but may not be.
  void set_defaults(json::Json& object) const;
  // In the server's words, at most a hundred.
  Causes validate(const json::Json& object) const;

  // How server-side apply treats the list at a path: see list_rule().
  struct ListRule {
    enum class Type { kAtomic, kSet, kMap };
    Type type = Type::kAtomic;
    std::vector<std::string> keys;  // of kMap
  };
  // The keys from the root, without list indices: {"spec", "ports"}. Lists that the schema does not know are atomic.
  ListRule list_rule(const std::vector<std::string>& path) const;
  // True where an object is replaced as a whole (x-kubernetes-map-type: atomic).
  bool is_atomic_map(const std::vector<std::string>& path) const;

  // The schema as it was given.
  const json::Json& source() const;

  struct Node;  // crd_schema_node.h

 private:
  struct Impl;
  explicit CrdSchema(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace landfall::sandbox
