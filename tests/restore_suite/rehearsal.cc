#include "restore_suite/rehearsal.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "api/restore.h"
#include "archive/archive_writer.h"
#include "base/guarded.h"
#include "hooks/init_hook_action.h"
#include "hooks/restore_hooks.h"
#include "io/file.h"
#include "io/gzip_reader.h"
#include "io/spool_file.h"
#include "item_actions/restore_actions.h"
#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "selection/restore_filter_spec.h"

namespace landfall::restore_suite {
namespace {

template <class T>
T must(Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message());
  return *std::move(result);
}

// A Restore as the cluster would have it.
json::Json restore_of(const Script& script) {
  json::Json restore = {{"apiVersion", "velero.io/v1"},
                        {"kind", "Restore"},
                        {"metadata",
                         {{"name", script.restore_name},
                          {"namespace", "velero"},
                          {"uid", "11111111-2222-4333-8444-" + script.restore_name},
                          {"creationTimestamp", "2020-01-01T00:00:00Z"}}},
                        {"spec", script.restore_spec}};
  restore["spec"]["backupName"] = json::string_or(script.backup, {"metadata", "name"}, "");
  return restore;
}

class Rehearsal {
 public:
  Rehearsal(kube::Client& client, const archive::SpooledArchive& archive, const Script& script)
      : client_(client), archive_(archive), script_(script), restore_(restore_of(script)) {
    spec_ = must(api::read_restore_spec(restore_), "spec");
    selection::Messages problems;
    filter_ = selection::completed(selection::read_restore_filter_spec(restore_["spec"], problems));
    if (!problems.empty()) throw std::runtime_error(problems.front());
    if (!script.modifiers.empty()) {
      modifiers_.emplace(must(modifiers::ResourceModifiers::parse(script.modifiers), "modifiers"));
    }
    journal_ = must(operation::Journal::open(records_, {}, system_clock(), system_random(), Logger(), {}), "journal");
  }

  Result<Outcome> run(const std::stop_token& stop) {
    Outcome outcome;
    Guarded<std::vector<progress::ItemProgress>> heard;
    progress::ItemReporter reporter(system_clock(), Logger());
    reporter.subscribe(
        "test",
        [&](const progress::ItemProgress& value, const std::stop_token&) -> Status {
          heard.with([&](auto& all) { all.push_back(value); });
          return {};
        },
        std::chrono::milliseconds(1));
    restore::RestoreTools tools = tools_with(reporter);
    tools.save_plan = [&](const restore::Plan& plan, const std::stop_token&) -> Status {
      outcome.plan = plan;
      return {};
    };
    reporter.start();
    const restore::RestoreJob job = this->job();
    auto product = run_restore(job, tools, stop);
    static_cast<void>(reporter.finish(system_clock().after(std::chrono::seconds(60)), {}));
    outcome.last = reporter.snapshot();
    outcome.published = heard.copy();
    static_cast<void>(journal_->flush(system_clock().after(std::chrono::seconds(60)), {}));
    outcome.journal = written_lines();
    if (!product) return tl::unexpected<Error>(product.error());
    outcome.results = product->results.to_json();
    outcome.resource_list = list_of(product->resource_list);
    outcome.is_cut_off = product->is_cut_off;
    return outcome;
  }

  restore::Plan preview() {
    progress::ItemReporter reporter(system_clock(), Logger());
    restore::RestoreTools tools = tools_with(reporter);
    const restore::RestoreJob job = this->job();
    return must(preview_restore(job, tools, {}), "preview");
  }

 private:
  restore::RestoreJob job() const {
    return {.restore = restore_,
            .spec = spec_,
            .filter = filter_,
            .backup = script_.backup,
            .archive = archive_,
            .volume_infos = script_.volume_infos.is_null() ? nullptr : &script_.volume_infos,
            .modifiers = modifiers_ ? &*modifiers_ : nullptr,
            .stored_plan = script_.stored_plan ? &*script_.stored_plan : nullptr,
            .found_lines = script_.found_lines.empty() ? nullptr : &script_.found_lines};
  }

  restore::RestoreTools tools_with(progress::ItemReporter& reporter) {
    restore::RestoreTools tools{.client = client_,
                                .clock = system_clock(),
                                .random = system_random(),
                                .log = Logger(),
                                .progress = reporter,
                                .journal = *journal_,
                                .options = {.workers = {.first = script_.workers, .most = script_.workers}}};
    if (script_.has_actions) {
      tools.make_actions = [this](kube::Client& client, const kube::Discovery& discovery) {
        auto actions = item_actions::built_in_restore_actions({.client = client, .name_space = "velero", .spec = spec_},
                                                              discovery);
        if (auto hooks = hooks::RestoreHooks::make(spec_.hooks, discovery)) {
          actions.push_back(hooks::make_init_hook_action(*std::move(hooks), spec_.namespace_mapping));
        }
        if (script_.more_actions) std::ranges::move(script_.more_actions(), std::back_inserter(actions));
        std::ranges::stable_sort(actions, {}, [](const auto& action) { return action->name(); });
        return actions;
      };
    }
    if (script_.with_tools) script_.with_tools(tools);
    return tools;
  }

  static json::Json list_of(const io::SpoolFile& file) {
    io::SpoolReader bytes = file.reader(0, file.size());
    io::GzipReader text(bytes);
    return must(json::parse(must(io::read_all(text, std::size_t{1} << 28U), "list")), "list");
  }

  // What another process would find.
  std::vector<std::string> written_lines() {
    auto again = must(operation::Journal::open(records_, {}, system_clock(), system_random(), Logger(), {}), "journal");
    return again->take_found();
  }

  kube::Client& client_;
  const archive::SpooledArchive& archive_;
  const Script& script_;
  json::Json restore_;
  api::RestoreSpec spec_;
  selection::RestoreFilterSpec filter_;
  std::optional<modifiers::ResourceModifiers> modifiers_;
  operation::MemoryRecords records_;
  std::unique_ptr<operation::Journal> journal_;
};

struct Stored {
  const std::string& resource;
  const json::Json& object;
  bool is_preferred = true;
};

archive::SpooledArchive archive_of_stored(const std::vector<Stored>& all) {
  io::SpoolFile file = must(io::SpoolFile::create("/tmp"), "archive");
  archive::ArchiveWriter writer(file, WallTime(std::chrono::seconds(1'767'225'600)));
  for (const Stored& one : all) {
    const std::string api_version = json::string_or(one.object, {"apiVersion"}, "v1");
    const std::size_t slash = api_version.find('/');
    const archive::ItemKey key{.resource = k8s::parse_group_resource(one.resource),
                               .version = slash == std::string::npos ? api_version : api_version.substr(slash + 1),
                               .is_preferred = one.is_preferred,
                               .namespace_name = std::string(k8s::ObjectView(one.object).name_space()),
                               .name = std::string(k8s::ObjectView(one.object).name())};
    if (const Status added = writer.add(key, json::dump(one.object)); !added) {
      throw std::runtime_error(added.error().message());
    }
  }
  if (const Status closed = writer.close(); !closed) throw std::runtime_error(closed.error().message());
  static_cast<void>(file.close());
  io::SpoolReader bytes = file.reader(0, file.size());
  return must(archive::SpooledArchive::read(bytes, {.directory = "/tmp"}, {}, {}), "archive");
}

}  // namespace

Result<Outcome> try_restore(kube::Client& client, const archive::SpooledArchive& archive, const Script& script,
                            const std::stop_token& stop) {
  return Rehearsal(client, archive, script).run(stop);
}

Outcome restore_all(kube::Client& client, const archive::SpooledArchive& archive, const Script& script,
                    const std::stop_token& stop) {
  return must(try_restore(client, archive, script, stop), "restore");
}

restore::Plan preview(kube::Client& client, const archive::SpooledArchive& archive, const Script& script) {
  return Rehearsal(client, archive, script).preview();
}

archive::SpooledArchive archive_of(const std::vector<std::pair<std::string, json::Json>>& objects) {
  std::vector<Stored> stored;
  stored.reserve(objects.size());
  for (const auto& [resource, object] : objects) stored.push_back({resource, object});
  return archive_of_stored(stored);
}

archive::SpooledArchive archive_of_versions(const std::string& resource, const std::vector<json::Json>& forms) {
  std::vector<Stored> stored;
  stored.reserve(forms.size());
  for (const json::Json& form : forms) stored.push_back({resource, form, stored.empty()});
  return archive_of_stored(stored);
}

archive::SpooledArchive stored_archive(const std::string& path) {
  io::FileReader file = must(io::FileReader::open(path), path);
  return must(archive::SpooledArchive::read(file, {.directory = "/tmp"}, {}, {}), path);
}

json::Json stored_document(const std::string& path) {
  return must(json::parse(must(io::read_file(path, std::size_t{1} << 26U), path)), path);
}

json::Json stored_list(const std::string& path) {
  io::FileReader file = must(io::FileReader::open(path), path);
  io::GzipReader text(file);
  return must(json::parse(must(io::read_all(text, std::size_t{1} << 26U), path)), path);
}

json::Json config_map(const std::string& name_space, const std::string& name, const std::string& value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"namespace", name_space}, {"name", name}}},
          {"data", {{"key", value}}}};
}

}  // namespace landfall::restore_suite
