#pragma once

#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "extension/item_action.h"
#include "json/json_fwd.h"
#include "k8s/object_ref.h"
#include "velero/shared.pb.h"

// Between messages of the protocol and values of ours. What comes in may be anything.
namespace landfall::plugin {

extension::ActionScope scope_of(const generated::ResourceSelector& selector);

using Identifiers = google::protobuf::RepeatedPtrField<generated::ResourceIdentifier>;
std::vector<k8s::ObjectRef> refs_of(const Identifiers& identifiers);
void add_refs(Identifiers& identifiers, const std::vector<k8s::ObjectRef>& refs);

// None for a moment that no calendar of ours has: Go's zero time is one.
std::optional<WallTime> time_of(const google::protobuf::Timestamp& stamp);

extension::OperationProgress progress_of(const generated::OperationProgress& progress);

// The object that a plugin has sent back; null when it is byte for byte the one that it was sent, which costs no
// parsing.
Result<std::unique_ptr<json::Json>> changed_item(const std::string& sent, const std::string& returned);

// A Backup or Restore as bytes. It is the same for thousands of calls, and comparing is cheaper than writing.
// Thread-safe.
class OwnerText {
 public:
  std::shared_ptr<const std::string> of(const json::Json& owner);

 private:
  struct Entry;
  Guarded<std::shared_ptr<const Entry>> last_;
};

}  // namespace landfall::plugin
