#include "restore/item_restorer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "json/json.h"
#include "json/parse.h"
#include "restore/item_work.h"
#include "restore/journal_lines.h"
#include "restore/managed_fields.h"
#include "selection/item_facts.h"

namespace landfall::restore {
namespace {

constexpr Duration kOperationDeadline = std::chrono::seconds(10);

// The contents of the form that is wanted; the plain one where the item has no such form.
Result<std::string> content_of(const archive::SpooledArchive& archive, const archive::IndexedItem& item,
                               const std::string& wanted) {
  if (!wanted.empty()) {
    for (const archive::ItemVersion& version : item.versions()) {
      if (version.version == wanted) return archive.content(version.content);
    }
  }
  return archive.content(item);
}

std::string target_key(const archive::IndexedItem& item, const std::string& target_namespace) {
  return to_string(item.resource()) + " " + target_namespace + "/" + std::string(item.name());
}

}  // namespace

void ItemRestorer::note_planned(const archive::IndexedItem& item) {
  if (world_.job.spec.namespace_mapping.empty() || item.namespace_name().empty()) return;
  const std::string key = target_key(item, world_.filter.target_namespace(item.namespace_name()));
  same_objects_.with([&](std::map<std::string, std::uint32_t>& all) { all.emplace(key, item.number()); });
}

// Some actions read them.
bool ItemRestorer::keeps_managed_fields(const k8s::GroupResource& resource) const {
  return world_.tools.options.managed_fields == ManagedFields::kAlways || world_.actions.sees(resource) ||
         (world_.job.modifiers != nullptr && world_.job.modifiers->sees(resource));
}

void ItemRestorer::note_version(const k8s::GroupResource& resource, const std::string& version) {
  if (version.empty()) return;
  versions_.with([&](std::map<k8s::GroupResource, std::string>& all) { all[resource] = version; });
}

archive::IndexedItem ItemRestorer::known_as(const archive::IndexedItem& item, const std::string& target_namespace) {
  if (world_.job.spec.namespace_mapping.empty() || target_namespace.empty()) return item;
  const std::uint32_t number = same_objects_.with([&](std::map<std::string, std::uint32_t>& all) {
    return all.emplace(target_key(item, target_namespace), item.number()).first->second;
  });
  return number == item.number() ? item : world_.job.archive.index().item(number);
}

void ItemRestorer::replay(std::vector<operation::ItemOperation> operations) {
  operations_.with([&](std::vector<operation::ItemOperation>& all) { all = std::move(operations); });
}

void ItemRestorer::remember(operation::ItemOperation operation) {
  world_.tools.journal.add(operation_line(operation));
  // Best effort: if it is lost, the action is asked again.
  static_cast<void>(world_.tools.journal.flush(world_.tools.clock.after(kOperationDeadline), {}));
  operations_.with([&](std::vector<operation::ItemOperation>& all) { all.push_back(std::move(operation)); });
}

std::vector<operation::ItemOperation> ItemRestorer::operations() const {
  std::vector<operation::ItemOperation> all = operations_.copy();
  std::ranges::sort(all, {}, [](const operation::ItemOperation& one) {
    return std::make_tuple(one.item, one.action, one.operation_id);
  });
  return all;
}

void ItemRestorer::finish(const archive::IndexedItem& item, const std::string& target_namespace, ItemEnd end) {
  const std::string kind = to_string(item.resource());
  for (const Finding& finding : end.findings) {
    world_.tools.log.log(finding.is_error ? LogLevel::kError : LogLevel::kWarning, finding.text,
                         {{"resource", kind}, {"namespace", target_namespace}, {"name", item.name()}});
  }
  world_.tools.item_log.info("Item is done", {{"resource", kind},
                                              {"namespace", target_namespace},
                                              {"name", item.name()},
                                              {"outcome", to_string(end.outcome)}});
  // First the journal: what is published must survive.
  if (!world_.is_preview) world_.tools.journal.add(item_line(item, end));
  const progress::Outcome outcome = end.outcome;
  world_.book.end(item.number(), std::move(end));
  world_.tools.progress.done({kind, target_namespace, item.name()}, outcome);
}

Result<bool> ItemRestorer::restore(const archive::IndexedItem& wanted, selection::Met met, ItemBook::Worker worker,
                                   const std::stop_token& stop) {
  const std::string original(wanted.namespace_name());
  const std::string target = original.empty() ? "" : world_.filter.target_namespace(original);
  const archive::IndexedItem item = known_as(wanted, target);
  const std::string kind = to_string(item.resource());
  if (item.resource() == k8s::GroupResource{"", "namespaces"}) {
    const Status ready =
        world_.namespaces.ensure(world_.filter.target_namespace(item.name()), std::string(item.name()), stop);
    if (!ready && ready.error().code() == Code::kCancelled) return fail("", ready.error());
    return ready.has_value();
  }

  std::optional<json::Json> document;
  const std::string version = versions_.with([&](const auto& all) {
    const auto found = all.find(item.resource());
    return found == all.end() ? std::string() : found->second;
  });
  auto text = content_of(world_.job.archive, item, version);
  if (text && !keeps_managed_fields(item.resource())) cut_managed_fields(*text);
  auto parsed = text ? json::parse(*text) : Result<json::Json>(tl::unexpected<Error>(text.error()));
  const std::string unreadable = !parsed ? parsed.error().message() : "it is no JSON object";
  if (parsed && parsed->is_object()) document = *std::move(parsed);
  if (document && met != selection::Met::kDirectly) {
    selection::ItemFacts facts = selection::item_facts(item.resource(), *document);
    facts.name_space = item.namespace_name();
    facts.name = item.name();
    if (const selection::Verdict verdict = world_.filter.item(facts, met); !verdict) {
      world_.tools.log.info("Additional item is not restored",
                            {{"resource", kind}, {"name", item.name()}, {"reason", verdict.why()}});
      return false;
    }
  }
  switch (world_.book.claim(item.number(), worker, world_.tools.clock, stop)) {
    case ItemBook::Claim::kMine:
      break;
    case ItemBook::Claim::kOver:
      return world_.book.exists(item.number());
    case ItemBook::Claim::kCycle:
      return true;
    case ItemBook::Claim::kStopped:
      return fail(Code::kCancelled, "stopped");
  }
  const progress::ItemId id{kind, target, item.name()};
  if (met != selection::Met::kDirectly) {
    world_.tools.progress.added(id, {kind, item.namespace_name(), item.name()});
  }
  world_.tools.progress.started(id);
  if (!document) {
    ItemEnd end{.outcome = progress::Outcome::kFailed, .listed = Listed::kNot};
    if (world_.is_preview) end.forecast = PlannedGroup::Forecast{.prediction = Prediction::kFail, .reason = unreadable};
    end.findings.push_back(error_in(target, item.path() + " in the backup cannot be read: " + unreadable));
    finish(item, target, std::move(end));
    return false;
  }
  ItemWork work(*this, item, target, std::make_unique<json::Json>(*std::move(document)), worker);
  const Status done = work.run(stop);
  if (!done) {
    world_.book.give_up(item.number());
    world_.tools.progress.given_up(id);
    return fail(Code::kCancelled, "stopped");
  }
  ItemEnd end = work.take_end();
  const bool exists = end.exists;
  finish(item, target, std::move(end));
  return exists;
}

}  // namespace landfall::restore
