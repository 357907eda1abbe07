#pragma once

#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "backup/item_batch.h"
#include "backup/item_table.h"
#include "backup/object_spool.h"
#include "base/log.h"
#include "base/result.h"
#include "json/access.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "kube/raw_list.h"
#include "selection/backup_filter.h"

namespace landfall::backup {

struct CollectorSettings {
  std::int64_t page_size = 500;  // objects; fewer where they are large
  std::size_t max_page_bytes = std::size_t{8} << 20U;
  int lists_at_once = 4;
  json::StringMap ordered_resources;
};

// Finds out what a backup holds: lists every kind that the filter lets in, several at once, and spools the objects as
// the bytes that the server sent. Memory is that of a page for each list under way.
//
// A list that fails is an error in the log, and the rest goes on. Namespaces are decided on last, because those are in
// that something in the backup lives in.
class Collector {
 public:
  // All of them must outlive it.
  Collector(kube::Client& client, const selection::BackupFilter& filter, ObjectSpool& spool, Logger log,
            CollectorSettings settings);

  // In the order of selection::plan_collection(), each kind in the order of its list, but what the backup wants first
  // at the front. Errors are those that end the backup: a stop, a full disk. The table borrows from the discovery.
  Result<ItemTable> collect(const kube::Discovery& discovery, const std::stop_token& stop);

 private:
  Status collect_all(std::vector<ItemBatch>& batches, const std::stop_token& stop);
  Status collect_kind(ItemBatch& batch, const std::stop_token& stop);
  Status collect_list(ItemBatch& batch, const selection::ListCall& call, std::set<std::string>* seen,
                      const std::stop_token& stop);
  // The error inside is that of the list, the other one ends the backup.
  Result<Status> read_list(ItemBatch& batch, const selection::ListCall& call, std::int64_t page_size,
                           std::set<std::string>* seen, const std::stop_token& stop);
  Status take_page(ItemBatch& batch, const kube::RawPage& page, std::set<std::string>* seen);
  Status collect_namespaces(ItemBatch& batch, const std::set<std::string, std::less<>>& in_use,
                            const std::stop_token& stop);
  Status take_namespaces(ItemBatch& batch, const kube::RawPage& page, const std::set<std::string, std::less<>>& in_use);
  void order(ItemBatch& batch) const;

  kube::Client& client_;
  const selection::BackupFilter& filter_;
  ObjectSpool& spool_;
  const Logger log_;
  const CollectorSettings settings_;
};

}  // namespace landfall::backup
