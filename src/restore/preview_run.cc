#include <chrono>
#include <utility>

#include "json/json.h"
#include "restore/definition_overlay.h"
#include "restore/preview_target.h"
#include "restore/restore_run.h"
#include "restore/restore_session.h"

namespace landfall::restore {

// Every item with what was foreseen for it; items that actions have asked for join the plan.
void RestoreSession::fill_in_forecasts() {
  std::set<std::uint32_t> planned;
  for (PlannedResource& resource : plan_.resources) {
    for (PlannedGroup& group : resource.groups) {
      group.forecasts.reserve(group.names.size());
      for (const std::string& name : group.names) {
        const auto item = job_.archive.index().find(resource.resource, group.original_namespace, name);
        group.forecasts.push_back(item ? book_.forecast(item->number()).value_or(PlannedGroup::Forecast())
                                       : PlannedGroup::Forecast());
        if (item) planned.insert(item->number());
      }
    }
  }
  for (const ItemBook::Entry& entry : book_.ended()) {
    if (planned.contains(entry.number)) continue;
    const archive::IndexedItem item = job_.archive.index().item(entry.number);
    const std::string original(item.namespace_name());
    const k8s::GroupResource& resource = item.resource();
    auto stage = std::ranges::find_if(plan_.resources, [&](const auto& one) { return one.resource == resource; });
    if (stage == plan_.resources.end()) {
      stage = plan_.resources.insert(plan_.resources.end(), {.resource = resource, .is_namespaced = !original.empty()});
    }
    auto group =
        std::ranges::find_if(stage->groups, [&](const auto& one) { return one.original_namespace == original; });
    if (group == stage->groups.end()) {
      group = stage->groups.insert(stage->groups.end(),
                                   {.original_namespace = original,
                                    .target_namespace = original.empty() ? "" : filter_->target_namespace(original)});
    }
    group->names.emplace_back(item.name());
    group->forecasts.push_back(book_.forecast(entry.number).value_or(PlannedGroup::Forecast()));
    for (NotSelected& one : plan_.not_selected) {
      if (one.resource == resource && one.original_namespace == original) std::erase(one.names, item.name());
    }
  }
  std::erase_if(plan_.not_selected, [](const NotSelected& one) { return one.names.empty(); });
}

Result<Plan> RestoreSession::preview() {
  TRY("", ask_cluster());
  TRY("", make_filter());
  const std::shared_ptr<const kube::Discovery> live = discovery_.copy();
  Collector before(job_, tools_, *live, *filter_, namespaces_);
  TRY_ASSIGN(const PlannedResource definitions, "", before.definitions(stop_));
  discovery_.with([&](auto& current) { current = with_definitions(*live, definitions, job_.archive); });
  TRY("", make_filter());
  TRY("", make_actions());
  target_ = std::make_unique<PreviewTarget>(job_, tools_, *live, namespaces_);
  keeper_ = std::make_unique<NamespaceKeeper>(job_, tools_, *target_, false);
  items_ = std::make_unique<ItemRestorer>(world(*target_, *keeper_, true));
  const std::shared_ptr<const kube::Discovery> after = discovery_.copy();
  Collector collector(job_, tools_, *after, *filter_, namespaces_);
  TRY_ASSIGN(plan_, "plan", collector.collect(stop_));
  keeper_->plan(plan_.namespaces);
  note_stages();
  for (const PlannedResource& stage : plan_.resources) TRY("", run_stage(stage));
  fill_in_forecasts();
  plan_.is_preview = true;
  return std::move(plan_);
}

Result<Plan> preview_restore(const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop) {
  // What is looked at is not done: the counts of the preview are not those of the Restore.
  progress::ItemReporter nobody(tools.clock, tools.log);
  RestoreTools quiet{.client = tools.client,
                     .clock = tools.clock,
                     .random = tools.random,
                     .log = tools.log,
                     .item_log = tools.item_log,
                     .progress = nobody,
                     .journal = tools.journal,
                     .make_actions = tools.make_actions,
                     .options = tools.options};
  return RestoreSession(job, quiet, stop).preview();
}

}  // namespace landfall::restore
