#include "backup/backup_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "api/labels.h"
#include "backup/action_set.h"
#include "backup/collector.h"
#include "backup/item_backupper.h"
#include "backup/item_blocks.h"
#include "backup/item_table.h"
#include "backup/object_spool.h"
#include "backup/related_items.h"
#include "backup/resource_list.h"
#include "backup/volume_ledger.h"
#include "base/guarded.h"
#include "json/json.h"
#include "json/parse.h"
#include "operation/parallel.h"

namespace landfall::backup {
namespace {

// Adds the collected objects to what is planned, and says that this is all.
void plan(const ItemTable& table, progress::ItemReporter& progress) {
  for (const ItemTable::Run& run : table.runs()) {
    const std::string kind = to_string(k8s::GroupResource{run.resource->id.group, run.resource->id.resource});
    for (std::size_t index = run.first; index < run.last; ++index) {
      const ItemName name = table.name(index);
      progress.planned({kind, name.name_space, name.name});
    }
  }
  progress.collected();
}

// How long hooks that undo a freeze may take after a stop.
constexpr Duration kThawTime = std::chrono::seconds(20);

// One block: hooks before, the objects, their volumes, hooks after.
class BlockRun {
 public:
  BlockRun(const BackupJob& job, BackupTools& tools, const ItemTable& table, ItemBackupper& items)
      : has_hooks_in_spec_(!job.spec.hooks.empty()), tools_(tools), table_(table), items_(items) {}

  Status run(const ItemBlock& block, const std::stop_token& stop) {
    std::vector<json::Json> pods;  // whose pre hooks have run
    Status done = block.has_pods ? run_pre_hooks(block, pods, stop) : Status();
    if (done) done = back_up(block, stop);
    run_post_hooks(pods, done.has_value(), stop);
    return done;
  }

 private:
  Status run_pre_hooks(const ItemBlock& block, std::vector<json::Json>& pods, const std::stop_token& stop) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      if (!is_pods(*table_.name(block.item(i)).resource)) continue;
      TRY_ASSIGN(const std::optional<json::Json> pod, "", pod_with_hooks(block.item(i)));
      if (!pod) continue;
      if (tools_.hooks.run(*pod, hooks::HookPhase::kPre, tools_.log, stop)) {
        pods.push_back(*pod);
      } else {
        items_.fail_item(block.item(i));
      }
      tools_.progress.alive();
    }
    return {};
  }

  Status back_up(const ItemBlock& block, const std::stop_token& stop) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      TRY("", items_.back_up(block.item(i), stop));
    }
    return {};
  }

  // What a pre hook has frozen is thawed whatever happened in between, a stop included: that gives them a while.
  void run_post_hooks(const std::vector<json::Json>& pods, bool is_backed_up, const std::stop_token& stop) {
    if (pods.empty()) return;
    std::stop_source late;
    const std::jthread watch([&](const std::stop_token& ended) {
      wait_for_stop(stop, ended);
      if (!ended.stop_requested() && tools_.clock.sleep_for(kThawTime, ended)) late.request_stop();
    });
    for (const json::Json& pod : pods) {
      if (is_backed_up && tools_.pod_volumes != nullptr) tools_.pod_volumes->wait_for(pod, stop);
      tools_.hooks.run(pod, hooks::HookPhase::kPost, tools_.log, late.get_token());
      tools_.progress.alive();
    }
  }

  // Returns when either is stopped.
  void wait_for_stop(const std::stop_token& stop, const std::stop_token& ended) const {
    Monitor<bool> is_stopped;
    const std::stop_callback wake(stop, [&] { is_stopped.update([](bool& value) { value = true; }); });
    is_stopped.wait_until(tools_.clock, ended, kNever, [](bool value) { return value; });
  }

  // Nothing when it has none. Most pods have none, and then nothing is parsed.
  Result<std::optional<json::Json>> pod_with_hooks(std::size_t index) {
    std::string bytes;
    TRY("", items_.bytes(index, bytes));
    if (!has_hooks_in_spec_ && bytes.find(api::annotation::kOldPreBackupHook) == std::string::npos) {
      return std::optional<json::Json>();
    }
    auto pod = json::parse(bytes);
    // One that cannot be read is an error when it is backed up.
    if (!pod || !tools_.hooks.hooks().has_any(*pod)) return std::optional<json::Json>();
    return std::optional<json::Json>(*std::move(pod));
  }

  const bool has_hooks_in_spec_;
  BackupTools& tools_;
  const ItemTable& table_;
  ItemBackupper& items_;
};

// The definitions of the custom resources that are in the backup, unless the filters speak of definitions.
Status add_definitions(const BackupJob& job, const BackupTools& tools, const ItemTable& table, ItemBackupper& items,
                       const std::stop_token& stop) {
  if (!job.filter.adds_definitions()) return {};
  std::set<std::string> names;
  const auto add = [&](const k8s::GroupResource& resource) {
    // The group of a definition has a dot; those of Kubernetes' own kinds without one are spared the question.
    if (resource.group.find('.') != std::string::npos) names.insert(resource.resource + "." + resource.group);
  };
  for (const ItemTable::Run& run : table.runs()) add({run.resource->id.group, run.resource->id.resource});
  for (const k8s::ObjectRef& ref : items.related()) add(ref.resource);
  const std::vector<std::string> all(names.begin(), names.end());
  return operation::for_each_in_parallel(
      all.size(), std::max(tools.workers, 4), stop, [&](std::size_t i, const std::stop_token& inner) {
        return items.back_up_related({.ref = {.resource = {"apiextensions.k8s.io", "customresourcedefinitions"},
                                              .name_space = {},
                                              .name = all[i]},
                                      .met = selection::Met::kAsMustInclude,
                                      .may_be_missing = true},
                                     inner);
      });
}

}  // namespace

Result<BackupProduct> run_backup(const BackupJob& job, BackupTools& tools, const std::stop_token& stop) {
  TRY_ASSIGN(const ActionSet actions, "", ActionSet::make(tools.actions, job.discovery));
  TRY_ASSIGN(io::SpoolFile objects, "spool objects", io::SpoolFile::create(tools.spool_directory));
  TRY_ASSIGN(io::SpoolFile archive_file, "archive", io::SpoolFile::create(tools.spool_directory));

  tools.progress.step(progress::ItemStep::kCollecting);
  ObjectSpool spool(std::move(objects));
  Collector collector(tools.client, job.filter, spool, tools.log,
                      {.page_size = tools.page_size, .ordered_resources = job.spec.ordered_resources});
  TRY_ASSIGN(ItemTable table, "collect", collector.collect(job.discovery, stop));
  plan(table, tools.progress);
  tools.log.info("Collected", {{"items", table.size()}});

  tools.progress.step(progress::ItemStep::kBackingUpItems);
  VolumeLedger ledger;
  archive::ArchiveWriter archive(archive_file, tools.clock.wall_now());
  ItemBackupper items(job, tools, actions, table, spool, archive, ledger);
  const auto bytes = [&](std::size_t index, std::string& into) { return items.bytes(index, into); };
  TRY_ASSIGN(ItemGroups related, "", find_related_items(job, tools, table, bytes, stop));
  TRY_ASSIGN(const std::vector<ItemBlock> blocks, "", make_blocks(table, std::move(related), bytes));
  BlockRun block_run(job, tools, table, items);
  TRY("", operation::for_each_in_parallel(
              blocks.size(), tools.workers, stop,
              [&](std::size_t i, const std::stop_token& inner) { return block_run.run(blocks[i], inner); }));
  TRY("", add_definitions(job, tools, table, items, stop));
  TRY("end the archive", archive.close());
  TRY("end the archive", archive_file.close());
  TRY_ASSIGN(io::SpoolFile list, "", write_resource_list(table, items.related(), job.discovery, tools.spool_directory));

  return BackupProduct{.archive = std::move(archive_file),
                       .resource_list = std::move(list),
                       .volume_infos = std::make_unique<json::Json>(ledger.rows()),
                       .operations = items.operations(),
                       .items = archive.items()};
}

}  // namespace landfall::backup
