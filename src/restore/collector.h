#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "restore/plan.h"
#include "restore/restore_job.h"
#include "selection/restore_filter.h"

namespace landfall::restore {

// Reasons of the engine's own for leaving an item alone.
inline constexpr std::string_view kNamespaceExists = "NamespaceExists";
inline constexpr std::string_view kAlreadyCovered = "AlreadyCovered";  // another item becomes the same object

// Makes the plan of a restore from the archive, the filters and what the cluster serves. Looks into an item only where
// its contents decide: labels, finished pods and jobs.
class Collector {
 public:
  // `namespaces` are those of the cluster that stay: none that is being deleted.
  Collector(const RestoreJob& job, const RestoreTools& tools, const kube::Discovery& discovery,
            const selection::RestoreFilter& filter, const std::set<std::string>& namespaces);

  // The definitions of custom resources alone: they are restored before the rest can be planned.
  Result<PlannedResource> definitions(const std::stop_token& stop);
  Result<Plan> collect(const std::stop_token& stop);

 private:
  Status collect_resource(const archive::IndexedResource& resource, Plan& plan, const std::stop_token& stop);
  void collect_namespace_items(const archive::IndexedResource& resource);
  void plan_namespaces(Plan& plan);
  selection::Verdict verdict_on(const archive::IndexedItem& item, const PlannedResource& planned) const;
  PlannedResource head_of(const archive::IndexedResource& resource);
  void leave(Plan& plan, const archive::IndexedItem& item, std::string_view reason);

  const RestoreJob& job_;
  const RestoreTools& tools_;
  const kube::Discovery& discovery_;
  const selection::RestoreFilter& filter_;
  const std::set<std::string>& namespaces_;
  std::map<std::string, std::string> versions_;             // chosen directories, by resource
  std::map<std::string, std::vector<std::string>> wanted_;  // target namespaces → their originals, in order
  std::map<std::string, std::string, std::less<>> selected_namespaces_;  // original → why not; "" : selected
};

}  // namespace landfall::restore
