#include "restore/namespace_keeper.h"

#include <optional>
#include <utility>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::restore {
namespace {

using progress::ItemId;
using progress::Outcome;

const k8s::GroupResource kNamespaces{"", "namespaces"};

ItemId id_of(const std::string& name) { return {.kind = "namespaces", .ns = "", .name = name}; }

}  // namespace

void NamespaceKeeper::plan(const std::vector<PlannedNamespace>& namespaces) {
  entries_.update([&](std::map<std::string, Entry>& entries) {
    for (const PlannedNamespace& one : namespaces) {
      entries[one.name].is_planned = true;
      entries[one.name].original = one.original;
    }
  });
}

void NamespaceKeeper::replay(const NamespaceEnd& end) {
  entries_.update([&](std::map<std::string, Entry>& entries) {
    Entry& entry = entries[end.name];
    entry.stage = end.outcome == Outcome::kFailed ? Stage::kFailed : Stage::kReady;
    entry.is_created = end.outcome == Outcome::kCreated;
    entry.original = end.original;
    entry.error = end.error;
  });
  tools_.progress.added(id_of(end.name), id_of(end.original));
  tools_.progress.done(id_of(end.name), end.outcome);
}

Status NamespaceKeeper::ensure(const std::string& name, const std::string& original, const std::stop_token& stop) {
  Entry found;
  bool is_mine = false;
  std::string from = original;
  const auto look = [&](std::map<std::string, Entry>& entries) {
    Entry& entry = entries[name];
    if (entry.stage == Stage::kNew) {
      entry.stage = Stage::kBusy;
      is_mine = true;
    }
    if (entry.is_planned) from = entry.original;
    found = entry;
  };
  entries_.update(look);
  while (!is_mine && found.stage == Stage::kBusy) {
    if (!entries_.wait_until(tools_.clock, stop, kNever, [&](const std::map<std::string, Entry>& entries) {
          return entries.at(name).stage != Stage::kBusy;
        })) {
      return fail(Code::kCancelled, "stopped");
    }
    entries_.update(look);
  }
  if (is_mine) return make(name, from, found.is_planned, stop);
  if (found.stage == Stage::kFailed) return fail(Code::kUnavailable, found.error);
  return {};
}

Status NamespaceKeeper::make(const std::string& name, const std::string& original, bool is_planned,
                             const std::stop_token& stop) {
  std::optional<json::Json> source;
  if (const auto item = job_.archive.index().find(kNamespaces, "", original); item && item->content()) {
    const auto text = job_.archive.content(*item);
    auto document = text ? json::parse(*text) : Result<json::Json>(json::Json());
    if (document && document->is_object()) source = *std::move(document);
  }
  if (is_planned) tools_.progress.started(id_of(name));
  const auto made = target_.ensure_namespace(name, source ? &*source : nullptr, stop);
  if (!made && stop.stop_requested()) {
    if (is_planned) tools_.progress.given_up(id_of(name));
    entries_.update([&](std::map<std::string, Entry>& entries) { entries[name].stage = Stage::kNew; });
    return fail(Code::kCancelled, "stopped");
  }
  NamespaceEnd end{.name = name, .original = original, .outcome = Outcome::kUnchanged};
  if (made && *made) {
    end.outcome = Outcome::kCreated;
    tools_.log.info("Namespace is created", {{"namespace", name}});
  } else if (!made) {
    end.outcome = Outcome::kFailed;
    end.error = made.error().message();
    tools_.log.error("Namespace cannot be used", {{"namespace", name}, LogField(made.error())});
  }
  settle(end, is_planned);
  return made ? Status() : Status(tl::unexpected<Error>(made.error()));
}

void NamespaceKeeper::settle(const NamespaceEnd& end, bool is_planned) {
  // One that is there and was not to be made does not count, as in Velero.
  if (is_planned || end.outcome == Outcome::kCreated) {
    if (keeps_journal_) tools_.journal.add(namespace_line(end));
    if (!is_planned) tools_.progress.added(id_of(end.name), id_of(end.original));
    tools_.progress.done(id_of(end.name), end.outcome);
  }
  entries_.update([&](std::map<std::string, Entry>& entries) {
    Entry& entry = entries[end.name];
    entry.stage = end.outcome == Outcome::kFailed ? Stage::kFailed : Stage::kReady;
    entry.is_created = end.outcome == Outcome::kCreated;
    entry.error = end.error;
  });
}

std::vector<std::string> NamespaceKeeper::not_made() const {
  return entries_.with([](const std::map<std::string, Entry>& entries) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries) {
      if (entry.is_planned && entry.stage != Stage::kReady && entry.stage != Stage::kFailed) names.push_back(name);
    }
    return names;
  });
}

std::vector<std::string> NamespaceKeeper::created() const {
  return entries_.with([](const std::map<std::string, Entry>& entries) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries) {
      if (entry.is_created) names.push_back(name);
    }
    return names;
  });
}

std::vector<Finding> NamespaceKeeper::findings() const {
  return entries_.with([](const std::map<std::string, Entry>& entries) {
    std::vector<Finding> findings;
    for (const auto& [name, entry] : entries) {
      if (entry.stage == Stage::kFailed) findings.push_back(run_error(entry.error));
    }
    return findings;
  });
}

}  // namespace landfall::restore
