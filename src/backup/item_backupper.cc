#include "backup/item_backupper.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "selection/item_facts.h"

namespace landfall::backup {
namespace {

const k8s::GroupResource kPods{"", "pods"};
const k8s::GroupResource kClaims{"", "persistentvolumeclaims"};
const k8s::GroupResource kVolumes{"", "persistentvolumes"};

k8s::GroupResource kind_of(const kube::ApiResource& resource) { return {resource.id.group, resource.id.resource}; }

// Empty for a pod that runs and stays.
std::string why_not_running(const json::Json& pod) {
  if (json::string_or(pod, {"status", "phase"}, "") != "Running") return "the pod is not running";
  if (json::string_or(pod, {"spec", "nodeName"}, "").empty()) return "the pod is on no node";
  return k8s::ObjectView(pod).is_being_deleted() ? "the pod is being deleted" : "";
}

bool takes_claims(const BackupJob& job) {
  const kube::ApiResource* claims = job.discovery.find(kClaims);
  return claims != nullptr && job.filter.resource(*claims);
}

VolumeRules volume_rules(const BackupJob& job) {
  return {.policies = &job.policies.volumes,
          .fs_backup_by_default = job.spec.volumes_to_fs_backup.value_or(false),  // the older name was looked at
          .takes_snapshots = job.spec.snapshot_volumes.value_or(true),
          .takes_claims = takes_claims(job)};
}

}  // namespace

// An object on its way, with its document where somebody looks at it and its bytes where not.
struct ItemBackupper::Item {
  ItemName name;
  std::string bytes;
  std::optional<json::Json> document;
};

ItemBackupper::ItemBackupper(const BackupJob& job, BackupTools& tools, const ActionSet& actions, ItemTable& table,
                             const ObjectSpool& spool, archive::ArchiveWriter& archive, VolumeLedger& ledger)
    : job_(job),
      tools_(tools),
      actions_(actions),
      table_(table),
      spool_(spool),
      ledger_(ledger),
      volume_rules_(volume_rules(job)),
      archive_(archive) {}

Logger ItemBackupper::log_of(const ItemName& name) const {
  return tools_.log.with(
      {{"resource", to_string(kind_of(*name.resource))}, {"namespace", name.name_space}, {"name", name.name}});
}

Status ItemBackupper::bytes(std::size_t index, std::string& into) const {
  const ItemPlace& place = table_.place(index);
  return spool_.read(place.offset, place.length, into);
}

Result<json::Json> ItemBackupper::document(std::size_t index) const {
  std::string text;
  TRY("", bytes(index, text));
  return json::parse(text);
}

void ItemBackupper::fail_item(std::size_t index) {
  if (!table_.claim(index)) return;
  const ItemName name = table_.name(index);
  const std::string kind = to_string(kind_of(*name.resource));
  tools_.progress.done({kind, name.name_space, name.name}, progress::Outcome::kFailed);
}

Status ItemBackupper::back_up(std::size_t index, const std::stop_token& stop) {
  if (!table_.claim(index)) return {};
  Item item{.name = table_.name(index)};
  TRY("", bytes(index, item.bytes));
  const k8s::GroupResource kind = kind_of(*item.name.resource);
  if (actions_.sees(kind) || kind == kPods || kind == kVolumes) {
    auto parsed = json::parse(item.bytes);
    if (!parsed) {
      log_of(item.name).error("Error backing up item", {LogField(parsed.error())});
      tools_.progress.done({to_string(kind), item.name.name_space, item.name.name}, progress::Outcome::kFailed);
      return {};
    }
    item.document = *std::move(parsed);
  }
  return handle(item, stop);
}

Status ItemBackupper::back_up_related(const Wish& wish, const std::stop_token& stop) {
  const kube::ApiResource* resource = job_.discovery.find(wish.ref.resource);
  const Logger log = tools_.log.with(
      {{"resource", to_string(wish.ref.resource)}, {"namespace", wish.ref.name_space}, {"name", wish.ref.name}});
  if (resource == nullptr) {
    if (!wish.may_be_missing) log.warning("Related item is of a kind that the server does not know");
    return {};
  }
  Item item{.name = {.resource = resource, .name_space = wish.ref.name_space, .name = wish.ref.name}};
  if (const auto index = table_.find(item.name)) return back_up(*index, stop);
  if (related_.with([&](const auto& related) { return related.contains(wish.ref); })) return {};

  auto fetched = kube::Resource(tools_.client, resource->id, wish.ref.name_space).get(wish.ref.name, stop);
  if (!fetched) {
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (fetched.error().code() != Code::kNotFound) {
      log.error("Error reading a related item", {LogField(fetched.error())});
    } else if (!wish.may_be_missing) {
      log.warning("Related item is not there");
    }
    return {};
  }
  item.document = *std::move(fetched);
  if (const auto verdict = job_.filter.item(selection::item_facts(wish.ref.resource, *item.document), wish.met);
      !verdict) {
    log.debug("Related item is left out", {{"reason", verdict.why()}});
    return {};
  }
  if (!related_.with([&](auto& related) { return related.insert(wish.ref).second; })) return {};
  const std::string kind = to_string(wish.ref.resource);
  tools_.progress.added({kind, item.name.name_space, item.name.name});
  return handle(item, stop);
}

Status ItemBackupper::handle(Item& item, const std::stop_token& stop) {
  const std::string kind = to_string(kind_of(*item.name.resource));
  const progress::ItemId id{kind, item.name.name_space, item.name.name};
  if (item.document) tools_.progress.started(id);
  auto stored = store(item, stop);
  if (!stored) {
    if (item.document) tools_.progress.given_up(id);
    return fail("", std::move(stored).error());
  }
  tools_.progress.done(id, *stored ? progress::Outcome::kCreated : progress::Outcome::kFailed);
  return {};
}

Result<bool> ItemBackupper::store(Item& item, const std::stop_token& stop) {
  if (!item.document) return write(item);
  TRY_ASSIGN(const bool is_kept, "", run_actions(item, stop));
  if (!is_kept) return false;
  const k8s::GroupResource kind = kind_of(*item.name.resource);
  Status volumes;
  if (kind == kPods) volumes = take_pod_volumes(item, stop);
  if (kind == kVolumes) volumes = take_snapshot(item, stop);
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!volumes) {
    log_of(item.name).error("Error backing up item", {LogField(volumes.error())});
    return false;
  }
  TRY_ASSIGN(const bool is_written, "", write(item));
  if (is_written && kind == kVolumes) ledger_.stored(*item.document);
  return is_written;
}

Result<bool> ItemBackupper::run_actions(Item& item, const std::stop_token& stop) {
  bool is_changed = false;
  for (extension::BackupItemAction* action : actions_.of(kind_of(*item.name.resource), *item.document)) {
    auto result = action->execute(*item.document, job_.backup, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!result) {
      log_of(item.name).error("Error backing up item", {{"action", action->name()},
                                                        {"error", action->name() + ": " + result.error().message()}});
      return false;
    }
    if (result->skip) {
      log_of(item.name).info("An action leaves the item out", {{"action", action->name()}});
      return false;
    }
    is_changed |= result->changed != nullptr;
    TRY("", apply(item, *action, *std::move(result), stop));
  }
  if (is_changed || item.bytes.empty()) item.bytes = json::dump(*item.document);
  return true;
}

Status ItemBackupper::apply(Item& item, extension::BackupItemAction& action, extension::BackupActionResult result,
                            const std::stop_token& stop) {
  if (result.changed != nullptr) item.document = std::move(*result.changed);
  for (k8s::ObjectRef& ref : result.additional) {
    TRY("", back_up_related(
                {.ref = std::move(ref),
                 .met = result.must_include ? selection::Met::kAsMustInclude : selection::Met::kAsAdditionalItem},
                stop));
  }
  if (result.operation_id.empty()) return {};
  const k8s::ObjectView owner(job_.backup);
  operation::ItemOperation operation{.owner_name = std::string(owner.name()),
                                     .owner_uid = std::string(owner.uid()),
                                     .action = action.name(),
                                     .operation_id = std::move(result.operation_id),
                                     .item = {.resource = kind_of(*item.name.resource),
                                              .name_space = std::string(item.name.name_space),
                                              .name = std::string(item.name.name)},
                                     .after_operation = std::move(result.after_operation)};
  operation.created = tools_.clock.wall_now();
  operations_.with([&](auto& operations) { operations.push_back(std::move(operation)); });
  return {};
}

Status ItemBackupper::take_pod_volumes(const Item& item, const std::stop_token& stop) {
  TRY_ASSIGN(const std::vector<VolumeChoice> choices, "",
             choose_pod_volumes(*item.document, volume_rules_, [&](const std::string& ns, const std::string& claim) {
               return find_claim(ns, claim, stop);
             }));
  const std::string name_space(item.name.name_space);
  std::vector<VolumeChoice> chosen;
  for (const VolumeChoice& choice : choices) {
    const k8s::NamespacedName claim{name_space, choice.claim};
    if (!choice.fs_backup) {
      if (choice.is_refused) say_skipped(item, choice.volume, choice.why_not);
      if (!choice.claim.empty()) ledger_.claim_skipped(claim, approach::kPodVolume, choice.why_not);
    } else if (choice.claim.empty() || taken_claims_.with([&](auto& taken) { return taken.insert(claim).second; })) {
      chosen.push_back(choice);  // of a claim that several pods share once
    }
  }
  if (chosen.empty()) return {};
  return begin_pod_volumes(item, chosen, stop);
}

void ItemBackupper::say_skipped(const Item& item, const std::string& volume, const std::string& why) const {
  log_of(item.name).warning("Skip pod volume data", {{"volume", volume}, {"error", why}});
}

Status ItemBackupper::begin_pod_volumes(const Item& item, const std::vector<VolumeChoice>& chosen,
                                        const std::stop_token& stop) {
  const std::string why_idle = why_not_running(*item.document);
  std::vector<PodVolumeTaker::Refusal> refused;
  if (why_idle.empty() && tools_.pod_volumes != nullptr) {
    std::vector<std::string> names;
    names.reserve(chosen.size());
    for (const VolumeChoice& choice : chosen) names.push_back(choice.volume);
    refused = tools_.pod_volumes->begin(*item.document, names, stop);
  } else {
    const std::string node = json::string_or(*item.document, {"spec", "nodeName"}, "");
    const std::string why = why_idle.empty() ? "no node agent is running on node " + node : why_idle;
    for (const VolumeChoice& choice : chosen) refused.push_back({.volume = choice.volume, .why = why});
  }
  for (const PodVolumeTaker::Refusal& one : refused) {
    say_skipped(item, one.volume, one.why);
    const auto choice = std::ranges::find(chosen, one.volume, &VolumeChoice::volume);
    if (choice == chosen.end() || choice->claim.empty()) continue;
    const k8s::NamespacedName claim{std::string(item.name.name_space), choice->claim};
    ledger_.claim_skipped(claim, approach::kPodVolume, one.why);
    // Another pod that has it may be able to.
    taken_claims_.with([&](auto& taken) { taken.erase(claim); });
  }
  // As in Velero, a pod that does not run has lost nothing; one that runs is not stored without its data.
  if (refused.empty() || !why_idle.empty()) return {};
  return fail(Code::kUnavailable, "volume " + refused.front().volume + ": " + refused.front().why);
}

Status ItemBackupper::take_snapshot(const Item& item, const std::stop_token& stop) {
  FoundClaim found;
  const std::string claim = json::string_or(*item.document, {"spec", "claimRef", "name"}, "");
  if (!claim.empty() && !job_.policies.volumes.empty()) {
    const std::string name_space = json::string_or(*item.document, {"spec", "claimRef", "namespace"}, "");
    TRY_ASSIGN(found.claim, "", look_up({.resource = kClaims, .name_space = name_space, .name = claim}, stop));
  }
  TRY_ASSIGN(const SnapshotChoice choice, "", choose_snapshot(*item.document, found.claim.get(), volume_rules_));
  const std::string name(item.name.name);
  if (!choice.is_wanted) {
    ledger_.skipped(name, approach::kVolumeSnapshot, choice.why_not);
    return {};
  }
  std::optional<std::string> why_not = "no volume snapshotter is set up for it";
  if (tools_.snapshots != nullptr) {
    const k8s::NamespacedName claimed{json::string_or(*item.document, {"spec", "claimRef", "namespace"}, ""), claim};
    TRY_ASSIGN(const bool is_copied, "", is_copied_from_pod(claimed, stop));
    if (is_copied && !choice.is_by_policy) {
      why_not = "its files are to be copied out of a pod (fs-backup)";
    } else {
      TRY_ASSIGN(why_not, "", tools_.snapshots->take(*item.document, stop));
    }
  }
  if (why_not) ledger_.skipped(name, approach::kVolumeSnapshot, *why_not);
  return {};
}

Result<std::shared_ptr<const std::vector<json::Json>>> ItemBackupper::pods_of(const std::string& name_space,
                                                                              const std::stop_token& stop) {
  using Pods = std::shared_ptr<const std::vector<json::Json>>;
  Pods known = pods_.with([&](auto& all) { return all[name_space]; });
  if (known) return known;
  TRY_ASSIGN(kube::ObjectList list, "list the pods of namespace " + name_space,
             kube::Resource(tools_.client, {"", "v1", "pods"}, name_space).list({}, stop));
  std::erase_if(list.items, [](const json::Json& pod) { return !why_not_running(pod).empty(); });
  known = std::make_shared<const std::vector<json::Json>>(std::move(list.items));
  pods_.with([&](auto& all) { all[name_space] = known; });
  return known;
}

Result<bool> ItemBackupper::is_copied_from_pod(const k8s::NamespacedName& claim, const std::stop_token& stop) {
  if (claim.name.empty() || tools_.pod_volumes == nullptr) return false;
  TRY_ASSIGN(const auto pods, "", pods_of(claim.name_space, stop));
  for (const json::Json& pod : *pods) {
    TRY_ASSIGN(const std::vector<VolumeChoice> choices, "",
               choose_pod_volumes(pod, volume_rules_, [&](const std::string& ns, const std::string& name) {
                 return find_claim(ns, name, stop);
               }));
    const bool is_chosen =
        std::ranges::any_of(choices, [&](const VolumeChoice& one) { return one.fs_backup && one.claim == claim.name; });
    if (is_chosen) return true;
  }
  return false;
}

Result<FoundClaim> ItemBackupper::find_claim(const std::string& name_space, const std::string& claim,
                                             const std::stop_token& stop) {
  FoundClaim found;
  TRY_ASSIGN(found.claim, "", look_up({.resource = kClaims, .name_space = name_space, .name = claim}, stop));
  if (!found.claim) return found;
  const std::string volume = json::string_or(*found.claim, {"spec", "volumeName"}, "");
  if (volume.empty()) return found;
  TRY_ASSIGN(found.volume, "", look_up({.resource = kVolumes, .name_space = {}, .name = volume}, stop));
  return found;
}

Result<std::shared_ptr<const json::Json>> ItemBackupper::look_up(const k8s::ObjectRef& ref,
                                                                 const std::stop_token& stop) {
  const kube::ApiResource* resource = job_.discovery.find(ref.resource);
  if (resource == nullptr) return std::shared_ptr<const json::Json>();
  if (const auto index = table_.find({.resource = resource, .name_space = ref.name_space, .name = ref.name})) {
    TRY_ASSIGN(json::Json found, to_string(ref), document(*index));
    return std::make_shared<const json::Json>(std::move(found));
  }
  auto fetched = kube::Resource(tools_.client, resource->id, ref.name_space).get(ref.name, stop);
  if (fetched) return std::make_shared<const json::Json>(*std::move(fetched));
  if (fetched.error().code() == Code::kNotFound) return std::shared_ptr<const json::Json>();
  return fail("read " + to_string(ref), std::move(fetched).error());
}

Result<bool> ItemBackupper::write(const Item& item) {
  const kube::ApiResource& resource = *item.name.resource;
  // An action may have changed the version, as of definitions for old clusters.
  const std::string version =
      item.document ? k8s::ObjectView(*item.document).group_version_kind().version : resource.id.version;
  const archive::ItemKey key{.resource = kind_of(resource),
                             .version = version,
                             .namespace_name = std::string(item.name.name_space),
                             .name = std::string(item.name.name)};
  const Status added = [&] {
    const std::scoped_lock lock(writing_);
    return archive_.add(key, item.bytes);
  }();
  if (added) return true;
  const Code code = added.error().code();
  if (code == Code::kInvalid || code == Code::kTooLarge || code == Code::kAlreadyExists) {
    log_of(item.name).error("Error backing up item", {LogField(added.error())});
    return false;
  }
  return fail("write the archive", added.error());
}

std::vector<k8s::ObjectRef> ItemBackupper::related() const {
  return related_.with([](const auto& related) { return std::vector<k8s::ObjectRef>(related.begin(), related.end()); });
}

std::vector<operation::ItemOperation> ItemBackupper::operations() const { return operations_.copy(); }

}  // namespace landfall::backup
