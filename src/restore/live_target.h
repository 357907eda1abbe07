#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "kube/resource.h"
#include "restore/restore_job.h"
#include "restore/target.h"

namespace landfall::restore {

// Puts objects into the cluster. Thread-safe.
//
// Nothing that is there is ever overwritten unless the policy says so, and then only after that was written into the
// journal: whoever goes on after a crash knows what this restore has done and what was there before.
class LiveTarget final : public Target {
 public:
  // `intents` is what an earlier process was about to change when it died.
  LiveTarget(const RestoreJob& job, RestoreTools& tools, std::set<std::string> intents);

  Result<std::unique_ptr<json::Json>> put(const Candidate& candidate, bool wants_created, ItemEnd& end,
                                          const std::stop_token& stop) override;
  Result<bool> ensure_namespace(const std::string& name, const json::Json* source,
                                const std::stop_token& stop) override;

 private:
  struct Attempt {
    std::string body;              // the answer, of one that was created
    std::optional<Error> error;    // of one that was not
    bool may_have_worked = false;  // an attempt before it broke off, and may have created the object
  };
  Attempt create(const Candidate& candidate, const std::stop_token& stop);
  Status created(const Candidate& candidate, json::Json& object, ItemEnd& end, const std::stop_token& stop);
  Status existing(const Candidate& candidate, json::Json live, ItemEnd& end, const std::stop_token& stop);
  Status change(const Candidate& candidate, const json::Json& patch, const json::Json& label_patch, ItemEnd& end,
                const std::stop_token& stop);
  Status relabel(const Candidate& candidate, const json::Json& label_patch, ItemEnd& end, const std::stop_token& stop);
  Status restore_status(const Candidate& candidate, json::Json& object, ItemEnd& end, const std::stop_token& stop);
  Status restore_managed_fields(const Candidate& candidate, json::Json& object, ItemEnd& end,
                                const std::stop_token& stop);
  Status wait_established(const Candidate& candidate, ItemEnd& end, const std::stop_token& stop);
  void refused(const Candidate& candidate, const Error& error, ItemEnd& end) const;
  // Whether this restore has created it, in an attempt whose end it did not see.
  bool is_ours(const Candidate& candidate, const json::Json& live) const;
  // Whether it is from after the Restore was made.
  bool is_young(const json::Json& live) const;
  // Writes down what is about to be changed.
  void intend(const std::string& what, const std::stop_token& stop);
  bool is_intended(const std::string& what) const { return intents_.contains(what); }
  // Again and again while the server does not answer, for as long as anybody waits for resources.
  Result<json::Json> patiently(const std::function<Result<json::Json>()>& call, const std::string& item,
                               const std::stop_token& stop);
  Result<json::Json> get(const Candidate& candidate, const std::stop_token& stop);
  Result<json::Json> patch(const Candidate& candidate, const json::Json& patch, const std::stop_token& stop);
  kube::Resource resource_of(const Candidate& candidate) const;
  Status create_namespace(const std::string& name, const json::Json* source, const std::stop_token& stop);

  const RestoreJob& job_;
  RestoreTools& tools_;
  const std::set<std::string> intents_;
  const bool is_resumed_;
  const std::string restore_name_;
  const std::optional<WallTime> restore_created_;
  std::atomic<bool> is_journal_away_ = false;
  Guarded<std::set<k8s::GroupVersionResource>> hopeless_;  // kinds that were waited for in vain
};

}  // namespace landfall::restore
