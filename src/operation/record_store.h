#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace landfall::operation {

// Where a run keeps records for whoever has to go on with it: a folder of small files, beside the run's own files in
// the bucket, or in ConfigMaps where the bucket is read-only. A record is whole or not there. Thread-safe.
class RecordStore {
 public:
  RecordStore() = default;
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;
  virtual ~RecordStore() = default;

  // Names in order. Names are lower case letters, digits, dots and dashes, 63 at most, a letter or digit at both ends.
  virtual Result<std::vector<std::string>> list(const std::stop_token& stop) = 0;
  // kNotFound when there is none.
  virtual Result<std::string> get(const std::string& name, const std::stop_token& stop) = 0;
  // In place of one of that name.
  virtual Status put(const std::string& name, std::string_view bytes, const std::stop_token& stop) = 0;
  // One that is not there is no error.
  virtual Status remove(const std::string& name, const std::stop_token& stop) = 0;
};

}  // namespace landfall::operation
