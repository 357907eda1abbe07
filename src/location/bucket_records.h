#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bucket/layout.h"
#include "extension/object_store.h"
#include "operation/record_store.h"

namespace landfall::location {

// The records of one restore in the bucket, beside its files: `restores/NAME/journal/UID/RECORD`. By the UID a Restore
// never finds those of another that had its name. They go with the folder of the restore, if not before. Thread-safe.
class BucketRecords final : public operation::RecordStore {
 public:
  // The store must outlive it. kInvalid for what can be no name of a Restore or no UID.
  static Result<std::unique_ptr<BucketRecords>> create(extension::ObjectStore& store, const bucket::Layout& layout,
                                                       std::string_view restore, std::string_view uid);
  BucketRecords(extension::ObjectStore& store, std::string folder);  // use create()

  Result<std::vector<std::string>> list(const std::stop_token& stop) override;
  Result<std::string> get(const std::string& name, const std::stop_token& stop) override;
  Status put(const std::string& name, std::string_view bytes, const std::stop_token& stop) override;
  Status remove(const std::string& name, const std::stop_token& stop) override;

 private:
  extension::ObjectStore& store_;
  const std::string folder_;
};

}  // namespace landfall::location
