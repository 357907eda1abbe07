#include "restore/restore_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/labels.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "operation/parallel.h"
#include "restore/preview_target.h"
#include "restore/resource_list.h"
#include "selection/glob.h"
#include "selection/resource_names.h"

namespace landfall::restore {
namespace {

const k8s::GroupResource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

// What has begun when a stop comes gets this long to end.
constexpr Duration kGrace = std::chrono::milliseconds(1500);
// How long discovery may lag behind definitions that are established.
constexpr Duration kDiscoveryLag = std::chrono::seconds(30);
constexpr Duration kDiscoveryPoll = std::chrono::milliseconds(200);
// How long the restore waits to say that it begins. After that it begins all the same.
constexpr Duration kBeginDeadline = std::chrono::seconds(10);

}  // namespace

RestoreSession::RestoreSession(const RestoreJob& job, RestoreTools& tools, const std::stop_token& stop)
    : job_(job),
      tools_(tools),
      stop_(stop),
      late_(tools.clock, stop, kGrace),
      loop_(tools.clock, tools.options.workers),
      discovery_cache_(tools.client),
      decisions_(job.volume_infos, job.volume_snapshots, job.csi_volume_snapshots, job.pod_volume_backups),
      book_(job.archive.index().size()) {}

ItemWorld RestoreSession::world(Target& target, NamespaceKeeper& namespaces, bool is_preview) {
  return {.job = job_,
          .tools = tools_,
          .discovery = discovery_,
          .filter = *filter_,
          .actions = *action_set_,
          .volumes = decisions_,
          .target = target,
          .namespaces = namespaces,
          .book = book_,
          .volume_book = volume_book_,
          .is_preview = is_preview};
}

// A cancel has to tell what was done before, and for that the cluster is asked.
Status RestoreSession::ask_cluster() {
  TRY_ASSIGN(auto discovery, "discovery", discovery_cache_.refresh(late_.token()));
  discovery_.with([&](auto& current) { current = std::move(discovery); });
  TRY_ASSIGN(const kube::ObjectList live, "list namespaces",
             kube::Resource(tools_.client, {"", "v1", "namespaces"}).list({}, late_.token()));
  for (const json::Json& one : live.items) {
    const k8s::ObjectView view(one);
    const bool is_going = view.is_being_deleted() || json::string_or(one, {"status", "phase"}, "") == "Terminating";
    if (!is_going) namespaces_.emplace(view.name());
  }
  return {};
}

Status RestoreSession::make_filter() {
  TRY_ASSIGN(selection::RestoreFilter filter, "filters",
             selection::RestoreFilter::make(job_.filter, job_.policies, *discovery_.copy()));
  filter_.emplace(std::move(filter));
  return {};
}

Status RestoreSession::make_actions() {
  if (actions_.empty() && tools_.make_actions) actions_ = tools_.make_actions(tools_.client, *discovery_.copy());
  TRY_ASSIGN(RestoreActionSet set, "", RestoreActionSet::make(actions_, *discovery_.copy(), tools_.options.has_csi));
  action_set_.emplace(std::move(set));
  return {};
}

void RestoreSession::report_archive() {
  for (const archive::IndexedItem item : job_.archive.index().items()) {
    if (!item.content()) continue;
    tools_.progress.seen({to_string(item.resource()), item.namespace_name(), item.name()});
  }
}

void RestoreSession::report_plan() {
  for (const NotSelected& one : plan_.not_selected) {
    const std::string kind = to_string(one.resource);
    for (const std::string& name : one.names) {
      tools_.progress.not_selected({kind, one.original_namespace, name}, one.reason);
    }
  }
  for (const PlannedNamespace& one : plan_.namespaces) {
    tools_.progress.added({"namespaces", "", one.name}, {"namespaces", "", one.original});
  }
  for (const PlannedResource& resource : plan_.resources) {
    const std::string kind = to_string(resource.resource);
    for (const PlannedGroup& group : resource.groups) {
      for (const std::string& name : group.names) {
        tools_.progress.planned({kind, group.target_namespace, name}, {kind, group.original_namespace, name});
      }
    }
  }
}

// What an earlier process has ended has ended.
void RestoreSession::replay_items() {
  for (auto& [number, end] : replay_.items) {
    const archive::IndexedItem item = job_.archive.index().item(number);
    const std::string kind = to_string(item.resource());
    const std::string target = item.namespace_name().empty() ? "" : filter_->target_namespace(item.namespace_name());
    tools_.progress.added({kind, target, item.name()}, {kind, item.namespace_name(), item.name()});
    tools_.progress.done({kind, target, item.name()}, end.outcome);
    // The log of the process before is gone with it.
    for (const Finding& finding : end.findings) {
      tools_.log.log(
          finding.is_error ? LogLevel::kError : LogLevel::kWarning, finding.text,
          {{"resource", kind}, {"namespace", target}, {"name", item.name()}, {"from", "before the restart"}});
    }
    book_.end(number, std::move(end));
  }
  for (const NamespaceEnd& end : replay_.namespaces) keeper_->replay(end);
  for (const std::string& volume : replay_.provisioned) volume_book_.provision(volume);
  for (const auto& [volume, name] : replay_.renamed) volume_book_.rename(volume, name);
  items_->replay(std::move(replay_.operations));
  replay_ = {};
}

Status RestoreSession::run_stage(const PlannedResource& stage) {
  std::vector<std::uint32_t> numbers;
  for (const PlannedGroup& group : stage.groups) {
    for (const std::string& name : group.names) {
      const auto item = job_.archive.index().find(stage.resource, group.original_namespace, name);
      if (!item) {
        return fail(Code::kDataLoss, to_string(stage.resource) + " " + group.original_namespace + "/" + name +
                                         " is planned, but not in the archive: it is not the archive that the plan "
                                         "was made from");
      }
      if (!book_.is_over(item->number())) numbers.push_back(item->number());
    }
  }
  return loop_.run(numbers.size(), stop_, [&](std::size_t i) -> Status {
    const archive::IndexedItem item = job_.archive.index().item(numbers[i]);
    auto done = items_->restore(item, selection::Met::kDirectly, numbers[i], late_.token());
    return done ? Status() : Status(tl::unexpected<Error>(done.error()));
  });
}

Status RestoreSession::refresh_discovery(const std::vector<k8s::GroupResource>& wanted) {
  const SteadyTime deadline = tools_.clock.after(kDiscoveryLag);
  while (true) {
    auto newer = discovery_cache_.refresh(stop_);
    if (stop_.stop_requested()) return fail(Code::kCancelled, "stopped");
    std::string missing;
    if (newer) {
      discovery_.with([&](auto& current) { current = *newer; });
      for (const k8s::GroupResource& one : wanted) {
        if ((*newer)->find(one) == nullptr) missing = "the server does not serve " + to_string(one) + " yet";
      }
      if (missing.empty()) return {};
    } else {
      missing = newer.error().message();
    }
    if (tools_.clock.now() >= deadline) {
      findings_.push_back(warning_in("", "after the definitions were restored: " + missing));
      return {};
    }
    if (!tools_.clock.sleep_for(kDiscoveryPoll, stop_)) return fail(Code::kCancelled, "stopped");
  }
}

// Definitions come first: what else can be restored depends on them.
Status RestoreSession::restore_definitions() {
  Collector collector(job_, tools_, *discovery_.copy(), *filter_, namespaces_);
  TRY_ASSIGN(const PlannedResource definitions, "", collector.definitions(stop_));
  if (definitions.groups.empty()) return {};
  items_->note_version(definitions.resource, definitions.from_version);
  // There is no plan yet to tell whoever comes after us that definitions may be ours.
  tools_.journal.add(begin_line());
  static_cast<void>(tools_.journal.flush(tools_.clock.after(kBeginDeadline), stop_));
  TRY("", run_stage(definitions));
  std::vector<k8s::GroupResource> wanted;
  for (const PlannedGroup& group : definitions.groups) {
    for (const std::string& name : group.names) {
      const auto item = job_.archive.index().find(kDefinitions, "", name);
      // The name of a definition is that of its kind.
      if (item && book_.exists(item->number())) wanted.push_back(k8s::parse_group_resource(name));
    }
  }
  TRY("", refresh_discovery(wanted));
  TRY("", make_filter());
  return make_actions();
}

Status RestoreSession::make_plan() {
  TRY("", restore_definitions());
  Collector collector(job_, tools_, *discovery_.copy(), *filter_, namespaces_);
  TRY_ASSIGN(plan_, "plan", collector.collect(stop_));
  tools_.log.info("Planned", {{"items", plan_.total()},
                              {"itemsInBackup", plan_.items_in_backup},
                              {"notSelected", plan_.not_selected_total()}});
  if (plan_.items_in_backup == 0) {
    findings_.push_back(run_warning("the backup holds no items: nothing is restored"));
  }
  warn_of_unknown();
  if (tools_.save_plan) TRY("store the plan", tools_.save_plan(plan_, stop_));
  return {};
}

Status RestoreSession::make_namespaces() {
  keeper_->plan(plan_.namespaces);
  return operation::for_each_in_parallel(plan_.namespaces.size(), tools_.options.workers.most, stop_,
                                         [&](std::size_t i, const std::stop_token&) -> Status {
                                           const PlannedNamespace& one = plan_.namespaces[i];
                                           const Status made = keeper_->ensure(one.name, one.original, late_.token());
                                           // One that cannot be made fails what goes into it, and nothing else.
                                           return !made && made.error().code() == Code::kCancelled ? made : Status();
                                         });
}

// Before anything of the plan is restored: whoever asks for an item gets it as the plan has it.
void RestoreSession::note_stages() {
  for (const PlannedResource& resource : plan_.resources) {
    items_->note_version(resource.resource, resource.from_version);
    for (const PlannedGroup& group : resource.groups) {
      for (const std::string& name : group.names) {
        const auto item = job_.archive.index().find(resource.resource, group.original_namespace, name);
        if (item) items_->note_planned(*item);
      }
    }
  }
}

Status RestoreSession::run_stages() {
  note_stages();
  TRY("", make_namespaces());
  for (const PlannedResource& stage : plan_.resources) {
    // A kind may come into being while its definition's operator is restored.
    if (discovery_.copy()->find(stage.resource) == nullptr) {
      if (auto newer = discovery_cache_.refresh(stop_)) {
        discovery_.with([&](auto& current) { current = *newer; });
      }
    }
    tools_.log.info("Stage begins", {{"resource", to_string(stage.resource)}, {"items", stage.total()}});
    TRY("", run_stage(stage));
  }
  return {};
}

void RestoreSession::wait_for_volumes() {
  if (tools_.pod_volumes == nullptr) return;
  if (!stop_.stop_requested()) tools_.progress.step(progress::ItemStep::kRestoringVolumes);
  for (const std::string& error : tools_.pod_volumes->wait(stop_)) findings_.push_back(run_error(error));
}

// By name, so that somebody can go on by hand.
void RestoreSession::say_what_is_missing() {
  std::int64_t missing = 0;
  for (const std::string& name : keeper_->not_made()) {
    ++missing;
    findings_.push_back(run_warning("namespace " + name + " is not made: the restore was cut off before"));
  }
  for (const PlannedResource& stage : plan_.resources) {
    for (const PlannedGroup& group : stage.groups) {
      std::vector<std::string_view> names;
      for (const std::string& name : group.names) {
        const auto item = job_.archive.index().find(stage.resource, group.original_namespace, name);
        if (item && !book_.is_over(item->number())) names.push_back(name);
      }
      if (names.empty()) continue;
      missing += static_cast<std::int64_t>(names.size());
      findings_.push_back(warning_in(group.target_namespace, to_string(stage.resource) +
                                                                 " not restored, because the restore was cut off "
                                                                 "before: " +
                                                                 join(names, ", ")));
    }
  }
  findings_.push_back(run_error("the restore was cut off: " + std::to_string(missing) + " of " +
                                std::to_string(plan_.total()) + " planned items were not restored"));
}

// Names in the filters that the backup has nothing of: a slip of the pen is not to be found out afterwards.
void RestoreSession::warn_of_unknown() {
  const archive::ArchiveIndex& index = job_.archive.index();
  const std::shared_ptr<const kube::Discovery> discovery = discovery_.copy();
  const selection::ResourceNames names(*discovery);
  for (const std::string& name : job_.filter.included_resources) {
    if (selection::has_wildcard(name)) continue;
    if (index.find(k8s::parse_group_resource(names.resolve(name))) == nullptr) {
      findings_.push_back(run_warning("includedResources names " + name + ", and the backup holds none"));
    }
  }
  std::set<std::string_view> spaces;
  for (const archive::IndexedResource& resource : index.resources()) {
    for (const std::string_view name : index.namespaces(resource)) spaces.insert(name);
    if (resource.resource != k8s::GroupResource{"", "namespaces"}) continue;
    for (const archive::IndexedItem item : index.items(resource)) spaces.insert(item.name());
  }
  for (const std::string& name : job_.filter.included_namespaces) {
    if (!selection::has_wildcard(name) && !spaces.contains(name)) {
      findings_.push_back(run_warning("includedNamespaces names " + name + ", and the backup holds nothing of it"));
    }
  }
}

// What an item action has left for others of this restore.
void RestoreSession::remove_data_upload_results() {
  if (job_.archive.index().find(k8s::GroupResource{"velero.io", "datauploads"}) == nullptr) return;
  const k8s::ObjectView restore(job_.restore);
  const kube::Resource maps(tools_.client, {"", "v1", "configmaps"}, std::string(restore.name_space()));
  const Status removed =
      maps.remove_all({.label_selector = std::string(api::label::kRestoreUid) + "=" + k8s::label_safe(restore.uid()) +
                                         "," + std::string(api::label::kResourceUsage) + "=DataUpload"},
                      late_.token());
  if (!removed) tools_.log.info("Results of data uploads are left behind", {LogField(removed.error())});
}

Result<RestoreProduct> RestoreSession::product(bool is_cut_off) {
  if (is_cut_off) say_what_is_missing();
  for (const Finding& finding : findings_) {
    tools_.log.log(finding.is_error ? LogLevel::kError : LogLevel::kWarning, finding.text,
                   {{"namespace", finding.name_space}});
  }
  TRY_ASSIGN(io::SpoolFile list, "",
             write_resource_list(book_, job_.archive.index(), *filter_, *keeper_, tools_.options.spool_directory));
  RestoreProduct product{.resource_list = std::move(list)};
  add_to(product.results, findings_);
  add_to(product.results, keeper_->findings());
  add_to(product.results, book_.findings());
  product.operations = items_->operations();
  product.claims = handled_objects("v1/PersistentVolumeClaim", book_, job_.archive.index(), *filter_);
  product.volumes = handled_objects("v1/PersistentVolume", book_, job_.archive.index(), *filter_);
  product.is_cut_off = is_cut_off;
  return product;
}

Result<RestoreProduct> RestoreSession::restore() {
  tools_.progress.step(progress::ItemStep::kCollecting);
  report_archive();
  if (job_.found_lines != nullptr) {
    TRY_ASSIGN(replay_, "", replay(*job_.found_lines, job_.archive.index()));
  }
  TRY("", ask_cluster());
  TRY("", make_filter());
  TRY("", make_actions());
  target_ = std::make_unique<LiveTarget>(job_, tools_, replay_.intents);
  keeper_ = std::make_unique<NamespaceKeeper>(job_, tools_, *target_, true);
  items_ = std::make_unique<ItemRestorer>(world(*target_, *keeper_, false));
  if (job_.stored_plan != nullptr) {
    plan_ = *job_.stored_plan;
    report_plan();
    tools_.progress.collected();
  }
  replay_items();
  tools_.progress.start();
  Status done = job_.stored_plan == nullptr ? make_plan() : Status();
  if (!done && !stop_.stop_requested()) return fail("", done.error());
  if (done) {
    if (job_.stored_plan == nullptr) {
      report_plan();
      tools_.progress.collected();
    }
    tools_.progress.step(progress::ItemStep::kRestoringItems);
    done = run_stages();
    if (!done && !stop_.stop_requested()) return fail("", done.error());
  }
  // After a stop as well: then it tells which volumes have got no data.
  wait_for_volumes();
  remove_data_upload_results();
  return product(stop_.stop_requested());
}

}  // namespace landfall::restore
