#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "restore/item_restorer.h"

namespace landfall::restore {

// One item on its way into the cluster. Used once, by one worker.
class ItemWork {
 public:
  // `document` is the item as the backup has it.
  ItemWork(ItemRestorer& restorer, const archive::IndexedItem& item, std::string target_namespace,
           std::unique_ptr<json::Json> document, ItemBook::Worker worker);
  ~ItemWork();
  ItemWork(const ItemWork&) = delete;
  ItemWork& operator=(const ItemWork&) = delete;

  // An error is kCancelled: it has not ended.
  Status run(const std::stop_token& stop);
  ItemEnd take_end() { return std::move(end_); }

 private:
  enum class Next { kGoOn, kOver };
  Result<Next> steps(const std::stop_token& stop);
  Result<Next> decide_volume(const std::stop_token& stop);
  Result<Next> run_actions(const std::stop_token& stop);
  Result<Next> run_action(extension::RestoreItemAction& action, const std::stop_token& stop);
  Status restore_additional(extension::RestoreItemAction& action, const extension::RestoreActionResult& result,
                            bool must_include, const std::stop_token& stop);
  Status wait_for_additional(extension::RestoreItemAction& action, const extension::RestoreActionResult& result,
                             const std::vector<k8s::ObjectRef>& there, const std::stop_token& stop);
  bool takes_must_include_note();
  void adjust_claim();
  Result<Next> resolve(k8s::GroupVersionResource& resource);
  Status put(const std::stop_token& stop);
  void note_damaged_volumes(const std::string& original_namespace);
  Status after_pod(const json::Json& pod, const std::stop_token& stop);
  Next fail_with(std::string text);
  Next skip(std::string reason);

  const ItemWorld& world_;
  ItemRestorer& restorer_;
  const archive::IndexedItem item_;
  const std::string target_namespace_;
  const std::string title_;  // "pods shop/web-0"
  std::unique_ptr<json::Json> object_;
  std::unique_ptr<json::Json> from_backup_;
  std::unique_ptr<json::Json> status_;
  std::string kind_;  // before the actions
  const ItemBook::Worker worker_;
  ItemEnd end_;
};

}  // namespace landfall::restore
