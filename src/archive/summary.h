#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "io/stream.h"
#include "k8s/kinds.h"

namespace landfall::archive {

struct ResourceSummary {
  std::int64_t items = 0;
  ByteCount bytes;
  std::set<std::string> namespaces;  // none for cluster scope
};

// What an archive holds.
struct Summary {
  std::string format_version;  // "1.1.0"; empty in archives that do not say
  std::map<k8s::GroupResource, ResourceSummary> resources;
  std::int64_t items = 0;
  std::vector<std::string> strange;  // paths that are neither items nor known files; the first few

  std::int64_t strange_count = 0;
};

// Reads a tar.gz to its end, with the checks and errors of ArchiveReader, so a damaged one is found out (kDataLoss).
// `on_item` hears of every item, for progress. Memory is bounded by the number of resources and namespaces, so a path
// that is there twice is counted twice: only SpooledArchive compares.
Result<Summary> summarize(io::Reader& archive, const std::stop_token& stop,
                          const std::function<void(std::string_view path)>& on_item);

}  // namespace landfall::archive
