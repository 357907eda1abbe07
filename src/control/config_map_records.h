#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/resource.h"
#include "operation/record_store.h"

namespace landfall::control {

// The records of one Restore in ConfigMaps of the server's namespace, for where the bucket is read-only. They belong to
// the Restore, so that the cluster collects them when it goes; backups leave them out.
//
// A ConfigMap `landfall-UID-RECORD` is the record; a large one has its further parts in others, which are written
// before it and named by its digest, so that it is there as a whole or not at all. Thread-safe.
class ConfigMapRecords final : public operation::RecordStore {
 public:
  // The client must outlive it.
  ConfigMapRecords(kube::Client& client, const std::string& name_space, const json::Json& restore);

  Result<std::vector<std::string>> list(const std::stop_token& stop) override;
  Result<std::string> get(const std::string& name, const std::stop_token& stop) override;
  Status put(const std::string& name, std::string_view bytes, const std::stop_token& stop) override;
  Status remove(const std::string& name, const std::stop_token& stop) override;

 private:
  std::string object_name(const std::string& record) const;
  std::string part_name(const std::string& record, std::string_view digest, std::size_t part) const;
  json::Json object(const std::string& object_name, const std::string& record, std::string_view bytes) const;
  std::string selector(const std::string& record) const;
  Result<bool> write(const json::Json& object, const std::stop_token& stop) const;
  Result<std::string> read_whole(const std::string& record, const std::stop_token& stop) const;
  Status remove_other_parts(const std::string& record, std::string_view digest, const std::stop_token& stop) const;

  const kube::Resource config_maps_;
  const std::string restore_;
  const std::string uid_;
};

}  // namespace landfall::control
