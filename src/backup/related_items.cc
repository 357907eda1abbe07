#include "backup/related_items.h"

#include <algorithm>
#include <vector>

#include "base/guarded.h"
#include "json/json.h"
#include "json/parse.h"
#include "operation/parallel.h"

namespace landfall::backup {
namespace {

// An action is mostly waited for.
constexpr int kLeastWorkers = 4;

k8s::GroupResource kind_of(const kube::ApiResource& resource) { return {resource.id.group, resource.id.resource}; }

class Relations {
 public:
  Relations(const BackupJob& job, BackupTools& tools, const BlockActionSet& actions, const ItemTable& table)
      : job_(job), tools_(tools), actions_(actions), table_(table) {}

  Status ask(std::uint32_t index, const std::string& bytes, const std::stop_token& stop) {
    const auto document = json::parse(bytes);
    if (!document) return {};  // no action can be asked about it; backing it up tells
    const ItemName name = table_.name(index);
    const k8s::GroupResource kind = kind_of(*name.resource);
    for (extension::ItemBlockAction* action : actions_.of(kind, *document)) {
      const auto related = action->related_items(*document, job_.backup, stop);
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      const Logger log = tools_.log.with({{"resource", to_string(kind)},
                                          {"namespace", name.name_space},
                                          {"name", name.name},
                                          {"action", action->name()}});
      if (related) {
        join(index, *related, log);
      } else {
        log.error("Error executing item block action", {{"error", action->name() + ": " + related.error().message()}});
      }
      tools_.progress.alive();
    }
    return {};
  }

  ItemGroups groups() const { return groups_.copy(); }

 private:
  void join(std::uint32_t index, const std::vector<k8s::ObjectRef>& related, const Logger& log) {
    for (const k8s::ObjectRef& ref : related) {
      const kube::ApiResource* resource = job_.discovery.find(ref.resource);
      const auto found = resource == nullptr
                             ? std::nullopt
                             : table_.find({.resource = resource, .name_space = ref.name_space, .name = ref.name});
      if (found) {
        groups_.with([&](ItemGroups& groups) { groups.join(index, static_cast<std::uint32_t>(*found)); });
      } else {
        log.debug("Related item was not collected", {{"related", to_string(ref)}});
      }
    }
  }

  const BackupJob& job_;
  BackupTools& tools_;
  const BlockActionSet& actions_;
  const ItemTable& table_;
  Guarded<ItemGroups> groups_;
};

}  // namespace

Result<ItemGroups> find_related_items(const BackupJob& job, BackupTools& tools, const ItemTable& table,
                                      const std::function<Status(std::size_t, std::string&)>& bytes,
                                      const std::stop_token& stop) {
  if (tools.block_actions.empty()) return ItemGroups();
  TRY_ASSIGN(const BlockActionSet actions, "", BlockActionSet::make(tools.block_actions, job.discovery));
  Relations relations(job, tools, actions, table);
  for (const ItemTable::Run& run : table.runs()) {
    if (!actions.sees(kind_of(*run.resource))) continue;
    const auto ask = [&](std::size_t i, const std::stop_token& inner) -> Status {
      std::string text;
      TRY("", bytes(run.first + i, text));
      return relations.ask(static_cast<std::uint32_t>(run.first + i), text, inner);
    };
    TRY("", operation::for_each_in_parallel(run.last - run.first, std::max(tools.workers, kLeastWorkers), stop, ask));
  }
  return relations.groups();
}

}  // namespace landfall::backup
