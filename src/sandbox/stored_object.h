#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "json/json_fwd.h"
#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

// One object as the store keeps it: its JSON text without apiVersion and kind (one text serves every version of the
// kind, and lists of built-in kinds), and what is asked for too often to parse the text each time.
struct StoredObject {
  std::string key;  // "shop/web", or "node-1" without a namespace: the order of a list
  std::string uid;
  std::string bytes;
  std::uint64_t revision = 0;
  std::uint32_t namespace_size = 0;
  std::uint32_t revision_at = 0;  // where in the bytes the digits of resourceVersion begin
  std::uint32_t labels_at = 0;    // metadata.labels, an object; size 0: none
  std::uint32_t labels_size = 0;
  bool is_deleting = false;  // has a deletionTimestamp

  std::string_view name_space() const { return std::string_view(key).substr(0, namespace_size); }
  std::string_view name() const { return std::string_view(key).substr(namespace_size == 0 ? 0 : namespace_size + 1); }
  std::string_view labels() const { return std::string_view(bytes).substr(labels_at, labels_size); }
};
// Immutable once it is in the store.
using ObjectPtr = std::shared_ptr<const StoredObject>;

std::string object_key(std::string_view name_space, std::string_view name);

// The document as an object that has no revision yet. Name, namespace and uid are read from its metadata.
StoredObject encode(const json::Json& object);
// The same object with another revision in its text.
ObjectPtr with_revision(StoredObject object, std::uint64_t revision);

// `{"apiVersion":"apps/v1","kind":"Deployment",`: what goes before the text of each object of a kind.
std::string type_prefix(const KindInfo& kind);
// The whole text of an object.
std::string object_text(const KindInfo& kind, const StoredObject& object);
// The document. Converts from the stored version (see convert.h).
json::Json decode(const KindInfo& kind, const StoredObject& object);

}  // namespace landfall::sandbox
