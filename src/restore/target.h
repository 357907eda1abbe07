#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "restore/item_book.h"

namespace landfall::restore {

// An object that is ready to be put into the cluster.
struct Candidate {
  k8s::GroupVersionResource resource;
  std::string name_space;  // in the cluster; empty: cluster-scoped
  std::string name;
  const json::Json& object;
  const json::Json* status = nullptr;  // to be restored too; null: not
  std::string source;                  // what the journal calls it: "configmaps shop/web"
};

// What is done with candidates: put into the cluster, or looked at.
class Target {
 public:
  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  virtual ~Target() = default;

  // Fills in how the item ended. An error is kCancelled: it is not known how it ended. What is returned is the object
  // as it was created, where that is asked for (`wants_created`) and it was.
  virtual Result<std::unique_ptr<json::Json>> put(const Candidate& candidate, bool wants_created, ItemEnd& end,
                                                  const std::stop_token& stop) = 0;

  // Makes sure that the namespace is there. `source` is the Namespace in the backup, null when there is none. True when
  // it had to be created. Errors are for whoever wants to be in it.
  virtual Result<bool> ensure_namespace(const std::string& name, const json::Json* source,
                                        const std::stop_token& stop) = 0;
};

}  // namespace landfall::restore
