#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "extension/item_action.h"
#include "json/json.h"
#include "velero/shared.pb.h"

// Messages of the protocol from and to our own types; for .cc files only.
namespace landfall::plugin_kit {

void put_time(WallTime from, google::protobuf::Timestamp& to);
void put_scope(const extension::ActionScope& from, generated::ResourceSelector& to);
void put_progress(const extension::OperationProgress& from, generated::OperationProgress& to);
void put_refs(const std::vector<k8s::ObjectRef>& from,
              google::protobuf::RepeatedPtrField<generated::ResourceIdentifier>& to);
std::vector<k8s::ObjectRef> refs_in(const google::protobuf::RepeatedPtrField<generated::ResourceIdentifier>& from);

// The Backup or Restore of the last call, parsed: the same bytes come with each of thousands of items. Thread-safe.
class LastDocument {
 public:
  Result<std::shared_ptr<const json::Json>> parse(const std::string& bytes);

 private:
  struct Last {
    std::string bytes;
    std::shared_ptr<const json::Json> document;
  };
  Guarded<Last> last_;
};

}  // namespace landfall::plugin_kit
