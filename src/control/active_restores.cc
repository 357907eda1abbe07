#include "control/active_restores.h"

#include <set>
#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/resource.h"

namespace landfall::control {
namespace {

using hooks::HookRecord;
using json::Json;
using operation::Journal;

// How long a hook waits for its line to be written.
constexpr Duration kWriteWait = std::chrono::seconds(10);

// What the journal says about hooks.
struct FoundHooks {
  std::map<std::string, HookRecord> records;
  std::set<std::pair<std::string, std::string>> pods;
};

std::string text_at(const Json& line, std::size_t index) {
  return line.size() > index && line[index].is_string() ? line[index].get<std::string>() : std::string();
}

Result<FoundHooks> hooks_in(const std::vector<std::string>& lines) {
  FoundHooks found;
  for (const std::string& text : lines) {
    // Most are items: those need not be read.
    if (!text.starts_with("[\"hook")) continue;
    TRY_ASSIGN(const Json line, "journal", json::parse(text));
    const std::string kind = text_at(line, 0);
    if (kind == "hooks") found.pods.emplace(text_at(line, 1), text_at(line, 2));
    if (kind == "hook-begin") found.records.try_emplace(text_at(line, 1));
    if (kind == "hook-end") found.records[text_at(line, 1)] = {.is_over = true, .error = text_at(line, 2)};
  }
  return found;
}

std::unique_ptr<hooks::RestoreHookRun> make_hook_run(const Context& context, hooks::RestoreHooks hooks,
                                                     Journal& journal, const Logger& log,
                                                     std::map<std::string, HookRecord> known) {
  const auto write = [&journal, &clock = context.clock](const Json& line) -> Status {
    journal.add(json::dump(line));
    return journal.flush(clock.after(kWriteWait), {});
  };
  return std::make_unique<hooks::RestoreHookRun>(
      std::move(hooks),
      hooks::RestoreHookRun::Tools{
          .client = context.client,
          .clock = context.clock,
          .random = context.random,
          .log = log,
          .exec = hooks::exec_over(context.client),
          .on_begin = [write](const std::string& id) { return write(Json::array({"hook-begin", id})); },
          .on_end =
              [write, log](const std::string& id, const std::string& error) {
                if (const Status written = write(Json::array({"hook-end", id, error})); !written) {
                  log.warning("The end of a hook is not in the journal yet", {{"hook", id}, LogField(written.error())});
                }
              }},
      std::move(known));
}

Status add_pods(const Context& context, const FoundHooks& found, hooks::RestoreHookRun& run,
                const std::stop_token& stop) {
  for (const auto& [name_space, name] : found.pods) {
    auto pod = kube::Resource(context.client, {"", "v1", "pods"}, name_space).get(name, stop);
    if (pod) {
      run.add(*pod);
    } else if (pod.error().code() == Code::kNotFound) {
      run.add_missing(name_space, name, "the pod is gone");
    } else {
      return fail("pod " + name_space + "/" + name, std::move(pod).error());
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<ActiveRestore>> open_active_restore(const Context& context, const kube::Discovery& discovery,
                                                           std::shared_ptr<const Json> restore,
                                                           std::unique_ptr<RestoreFiles> files, const Logger& log,
                                                           const std::stop_token& stop) {
  auto active = std::make_shared<ActiveRestore>();
  active->restore = std::move(restore);
  active->files = std::move(files);
  TRY_ASSIGN(const api::RestoreSpec spec, "", api::read_restore_spec(*active->restore));
  TRY_ASSIGN(hooks::RestoreHooks planned, "", hooks::RestoreHooks::make(spec.hooks, discovery));
  TRY_ASSIGN(active->journal, "journal of the restore",
             Journal::open(active->files->records(), {}, context.clock, context.random, log, stop));
  active->found_lines = active->journal->take_found();
  TRY_ASSIGN(const FoundHooks found, "", hooks_in(active->found_lines));
  active->hooks = make_hook_run(context, std::move(planned), *active->journal, log, found.records);
  TRY("hooks", add_pods(context, found, *active->hooks, stop));
  return active;
}

void forget_records(const Context& context, ActiveRestore& active, const std::stop_token& stop) {
  active.hooks.reset();  // they write into the journal
  const auto remove = [&]() -> Status {
    if (active.journal) TRY("", active.journal->remove(stop));
    operation::RecordStore& records = active.files->records();
    TRY_ASSIGN(const std::vector<std::string> names, "", records.list(stop));
    for (const std::string& name : names) {
      // In the bucket only the journal is among the records.
      using bucket::RestoreArtifact;
      const auto is = [&](RestoreArtifact artifact) { return name == record_name(artifact); };
      const bool stays =
          is(RestoreArtifact::kPlan) || is(RestoreArtifact::kResults) || is(RestoreArtifact::kVolumeInfos);
      if (!stays) TRY("", records.remove(name, stop));
    }
    return {};
  };
  if (const Status removed = remove(); !removed) {
    context.log.warning("The journal of a restore is left behind", {LogField(removed.error())});
  }
}

void ActiveRestores::put(const std::string& uid, std::shared_ptr<ActiveRestore> restore) {
  // What was there before ends outside of the lock: that takes a while.
  all_.with([&](All& all) { std::swap(all[uid], restore); });
}

std::shared_ptr<ActiveRestore> ActiveRestores::get(const std::string& uid) const {
  return all_.with([&](const All& all) {
    const auto found = all.find(uid);
    return found == all.end() ? nullptr : found->second;
  });
}

void ActiveRestores::drop(const std::string& uid) {
  std::shared_ptr<ActiveRestore> old;
  all_.with([&](All& all) {
    const auto found = all.find(uid);
    if (found == all.end()) return;
    old = std::move(found->second);
    all.erase(found);
  });
}

void ActiveRestores::clear() {
  All old;
  all_.with([&](All& all) { std::swap(all, old); });
}

}  // namespace landfall::control
