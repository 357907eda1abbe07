#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "operation/record_store.h"

namespace landfall::operation {

// Records that last as long as the process: for a run that nobody goes on with. Thread-safe.
class MemoryRecords final : public RecordStore {
 public:
  Result<std::vector<std::string>> list(const std::stop_token& stop) override;
  Result<std::string> get(const std::string& name, const std::stop_token& stop) override;
  Status put(const std::string& name, std::string_view bytes, const std::stop_token& stop) override;
  Status remove(const std::string& name, const std::stop_token& stop) override;

 private:
  Guarded<std::map<std::string, std::string>> records_;
};

}  // namespace landfall::operation
