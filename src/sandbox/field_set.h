#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

// A set of fields, as a tree over path elements in the spelling of fieldsV1: "f:spec", "k:{\"name\":\"web\"}",
// "v:\"x\"". A plain value.
class FieldSet {
 public:
  bool is_member = false;  // the field itself, not only what is below it
  std::map<std::string, FieldSet> children;

  bool empty() const { return !is_member && children.empty(); }

  // {"f:metadata":{"f:labels":{".":{},"f:app":{}}}}. What cannot be read of a hostile document is left out.
  static FieldSet from_json(const json::Json& fields);
  json::Json to_json() const;

  FieldSet& unite(const FieldSet& other);
  FieldSet& subtract(const FieldSet& other);
  FieldSet intersect(const FieldSet& other) const;

  // The members as paths as messages have them: ".spec.replicas", ".spec.containers[name="web"].image".
  std::vector<std::string> paths() const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// The fields that a document sets: scalars, what is atomic or empty, and the elements of keyed lists.
FieldSet fields_of(const KindInfo& kind, const json::Json& document);

// The elements that keyed lists of a document have more than once, as messages:
// ".spec.ports: duplicate entries for key [port=80,protocol="TCP"]".
std::vector<std::string> repeated_elements(const KindInfo& kind, const json::Json& document);

// What a change did.
struct FieldChanges {
  FieldSet written;  // added or changed
  FieldSet removed;
};
FieldChanges compare_fields(const KindInfo& kind, const json::Json& from, const json::Json& to);

// The path element of an element of a keyed list: its keys, with the protocol that Kubernetes takes for granted.
std::string key_element(const json::Json& item, const std::vector<std::string>& keys);

}  // namespace landfall::sandbox
