#include "backup/collector.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "backup/raw_facts.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/resource.h"
#include "operation/parallel.h"
#include "selection/collection_order.h"
#include "selection/ordered_resources.h"

namespace landfall::backup {
namespace {

constexpr std::string_view kNamespaces = "namespaces";

bool is_namespaces(const kube::ApiResource& resource) {
  return resource.id.group.empty() && resource.id.resource == kNamespaces;
}

std::string resource_name(const kube::ApiResource& resource) {
  return to_string(k8s::GroupResource{resource.id.group, resource.id.resource});
}

// Names that a table can hold and that need no unescaping; those of Kubernetes all are.
bool is_usable(const kube::RawItem& item) {
  constexpr std::size_t kMax = std::numeric_limits<std::uint16_t>::max();
  return !item.name.empty() && item.name.size() <= kMax && item.name_space.size() <= kMax &&
         item.name.find('\\') == std::string_view::npos && item.name_space.find('\\') == std::string_view::npos &&
         item.json.size() <= std::numeric_limits<std::uint32_t>::max() / 2;
}

std::string key_of(std::string_view name_space, std::string_view name) {
  return std::string(name_space) + "/" + std::string(name);
}

// Back to the state before a list that begins anew.
void forget(ItemBatch& batch, std::size_t keep, std::set<std::string>* seen) {
  batch.truncate(keep);
  if (seen == nullptr) return;
  seen->clear();
  for (std::size_t i = 0; i < keep; ++i) seen->insert(key_of(batch.name_space(i), batch.name(i)));
}

}  // namespace

Collector::Collector(kube::Client& client, const selection::BackupFilter& filter, ObjectSpool& spool, Logger log,
                     CollectorSettings settings)
    : client_(client), filter_(filter), spool_(spool), log_(std::move(log)), settings_(std::move(settings)) {}

Result<ItemTable> Collector::collect(const kube::Discovery& discovery, const std::stop_token& stop) {
  for (const std::string& missing : filter_.namespaces().missing()) {
    log_.error("Namespace is included by name, but does not exist", {{"namespace", missing}});
  }
  std::vector<ItemBatch> batches;
  for (const auto& planned :
       selection::plan_collection(discovery, [&](const kube::ApiResource& r) { return filter_.resource(r); })) {
    if (planned.verdict) {
      batches.emplace_back(*planned.resource);
    } else {
      log_.debug("Kind is left out",
                 {{"resource", resource_name(*planned.resource)}, {"reason", planned.verdict.why()}});
    }
  }
  TRY("", collect_all(batches, stop));

  std::set<std::string, std::less<>> in_use;
  for (const ItemBatch& batch : batches) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i == 0 || batch.name_space(i) != batch.name_space(i - 1)) in_use.emplace(batch.name_space(i));
    }
  }
  ItemTable table;
  for (ItemBatch& batch : batches) {
    if (is_namespaces(batch.resource())) TRY("", collect_namespaces(batch, in_use, stop));
    order(batch);
    batch.shrink();
    TRY("", table.append(std::move(batch)));
  }
  table.seal();
  return table;
}

Status Collector::collect_all(std::vector<ItemBatch>& batches, const std::stop_token& stop) {
  return operation::for_each_in_parallel(batches.size(), settings_.lists_at_once, stop,
                                         [&](std::size_t index, const std::stop_token& inner) -> Status {
                                           if (is_namespaces(batches[index].resource())) return {};
                                           return collect_kind(batches[index], inner);
                                         });
}

Status Collector::collect_kind(ItemBatch& batch, const std::stop_token& stop) {
  const std::vector<selection::ListCall> calls = filter_.list_calls(batch.resource());
  // Several selectors may find the same object.
  const bool may_repeat =
      std::ranges::any_of(calls, [&](const auto& call) { return call.label_selector != calls.front().label_selector; });
  std::set<std::string> seen;
  for (const selection::ListCall& call : calls) {
    TRY("", collect_list(batch, call, may_repeat ? &seen : nullptr, stop));
  }
  return {};
}

Status Collector::collect_list(ItemBatch& batch, const selection::ListCall& call, std::set<std::string>* seen,
                               const std::stop_token& stop) {
  std::int64_t page_size = settings_.page_size;
  while (true) {
    const std::size_t before = batch.size();
    TRY_ASSIGN(const Status read, "", read_list(batch, call, page_size, seen, stop));
    if (read) {
      log_.info("Listed", {{"resource", resource_name(batch.resource())},
                           {"namespace", call.name_space},
                           {"items", batch.size() - before}});
      return {};
    }
    if (read.error().code() == Code::kTooLarge && page_size != 1) {
      // Objects of a megabyte each: ask for fewer at a time.
      page_size = page_size == 0 ? 500 : std::max<std::int64_t>(1, page_size / 10);
      forget(batch, before, seen);
      continue;
    }
    log_.with({{"resource", resource_name(batch.resource())}, {"namespace", call.name_space}})
        .error("Error listing items: those that were not listed are not in the backup", {LogField(read.error())});
    return {};
  }
}

Result<Status> Collector::read_list(ItemBatch& batch, const selection::ListCall& call, std::int64_t page_size,
                                    std::set<std::string>* seen, const std::stop_token& stop) {
  const std::size_t before = batch.size();
  kube::ListOptions options;
  options.label_selector = call.label_selector;
  options.page_size = page_size;
  // One object alone is taken whatever its size.
  const std::optional<std::size_t> most =
      page_size == 1 ? std::nullopt : std::optional<std::size_t>(settings_.max_page_bytes);
  kube::RawList list(kube::Resource(client_, batch.resource().id, call.name_space), options, most);
  while (true) {
    auto next = list.next(stop);
    if (!next) {
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      return Status(tl::unexpected<Error>(std::move(next).error()));
    }
    if (next->started_over) forget(batch, before, seen);
    if (!next->page) return Status();
    TRY("", take_page(batch, *next->page, seen));
  }
}

Status Collector::take_page(ItemBatch& batch, const kube::RawPage& page, std::set<std::string>* seen) {
  std::string bytes;
  std::vector<std::pair<const kube::RawItem*, std::size_t>> taken;  // and where it begins
  for (const kube::RawItem& item : page.items()) {
    if (!is_usable(item)) {
      log_.error("Object has a name that cannot be stored", {{"resource", resource_name(batch.resource())}});
      continue;
    }
    if (!filter_.item(raw_facts(batch.resource(), item), selection::Met::kDirectly)) continue;
    if (seen != nullptr && !seen->insert(key_of(item.name_space, item.name)).second) continue;
    taken.emplace_back(&item, bytes.size());
    page.append_object(item, bytes);
  }
  TRY_ASSIGN(const std::uint64_t offset, "", spool_.append(bytes));
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const auto& [item, begin] = taken[i];
    const std::size_t end = i + 1 < taken.size() ? taken[i + 1].second : bytes.size();
    batch.add(item->name_space, item->name, offset + begin, static_cast<std::uint32_t>(end - begin));
  }
  return {};
}

Status Collector::collect_namespaces(ItemBatch& batch, const std::set<std::string, std::less<>>& in_use,
                                     const std::stop_token& stop) {
  kube::RawList list(kube::Resource(client_, batch.resource().id), {.page_size = settings_.page_size});
  while (true) {
    auto next = list.next(stop);
    if (!next) {
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      log_.error("Error listing namespaces", {{"resource", kNamespaces}, LogField(next.error())});
      return {};
    }
    if (next->started_over) batch.truncate(0);
    if (!next->page) return {};
    TRY("", take_namespaces(batch, *next->page, in_use));
  }
}

Status Collector::take_namespaces(ItemBatch& batch, const kube::RawPage& page,
                                  const std::set<std::string, std::less<>>& in_use) {
  for (const kube::RawItem& item : page.items()) {
    if (!is_usable(item)) continue;
    const auto document = json::parse(item.json);
    const bool is_active = document && json::string_or(*document, {"status", "phase"}, "") == "Active";
    const selection::ItemFacts facts = raw_facts(batch.resource(), item);
    if (!filter_.namespace_object(facts, is_active, in_use.contains(item.name))) continue;
    std::string bytes;
    page.append_object(item, bytes);
    TRY_ASSIGN(const std::uint64_t offset, "", spool_.append(bytes));
    batch.add("", item.name, offset, static_cast<std::uint32_t>(bytes.size()));
  }
  return {};
}

void Collector::order(ItemBatch& batch) const {
  const k8s::GroupResource resource{batch.resource().id.group, batch.resource().id.resource};
  const selection::Names names = selection::ordered_names(settings_.ordered_resources, resource);
  if (names.empty()) return;
  std::vector<k8s::NamespacedName> items;
  items.reserve(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    items.push_back({std::string(batch.name_space(i)), std::string(batch.name(i))});
  }
  const selection::Ordering ordering = selection::order_items(items, names);
  for (const std::string& unknown : ordering.unknown) {
    log_.warning("No such object among those to be backed up in order",
                 {{"resource", resource_name(batch.resource())}, {"name", unknown}});
  }
  batch.reorder(ordering.order, ordering.ordered);
}

}  // namespace landfall::backup
