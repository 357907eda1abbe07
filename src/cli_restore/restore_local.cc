#include "cli_restore/restore_local.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "cli/operation_view.h"
#include "cli/temporary_directory.h"
#include "hooks/init_hook_action.h"
#include "hooks/restore_hook_run.h"
#include "hooks/restore_hooks.h"
#include "hooks/run_hook.h"
#include "item_actions/restore_actions.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "operation/journal.h"
#include "operation/memory_records.h"
#include "progress/item_reporter.h"
#include "selection/restore_filter.h"
#include "terminal/live_block.h"
#include "terminal/live_line.h"
#include "volume_info/restore_volume_info_tracker.h"

namespace landfall::cli {

using json::Json;
using restore::RestoreTools;

namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(200);
constexpr Duration kLastWord = std::chrono::seconds(2);
constexpr Duration kHookLook = std::chrono::milliseconds(500);

// What is seen while a restore runs: lines on a terminal, now and then one in a pipe.
class ItemLines {
 public:
  ItemLines(const Json& restore, bool has_colors, const Context& context)
      : context_(context),
        title_("Restore " + std::string(k8s::ObjectView(restore).name())),
        line_(context.err, context.err_terminal, context.clock),
        block_(has_colors),
        reporter_(context.clock, Logger()) {
    reporter_.subscribe(
        "terminal", [this](const progress::ItemProgress& now, const std::stop_token&) { return draw(now); }, kRedraw);
    reporter_.start();
  }
  ItemLines(const ItemLines&) = delete;
  ItemLines& operator=(const ItemLines&) = delete;
  ~ItemLines() { finish(); }

  progress::ItemReporter& reporter() { return reporter_; }

  progress::ItemProgress finish() {
    if (!is_finished_) {
      is_finished_ = true;
      // Advisory: what was done counts, whether or not the last line could be drawn.
      static_cast<void>(reporter_.finish(context_.clock.after(kLastWord), {}));
      static_cast<void>(context_.err.write(block_.clear()));
    }
    return reporter_.snapshot();
  }

 private:
  Status draw(const progress::ItemProgress& progress) {
    const OperationView view{.title = title_, .phase = "InProgress", .items = progress};
    const WallTime now = context_.clock.wall_now();
    if (!context_.err_terminal.is_terminal) return line_.show(view_text(view, now));
    const terminal::Terminal size = context_.look_again ? context_.look_again() : context_.err_terminal;
    return context_.err.write(block_.show(view_lines(view, now, size.columns), size));
  }

  const Context& context_;
  const std::string title_;
  terminal::LiveLine line_;
  terminal::LiveBlock block_;
  progress::ItemReporter reporter_;
  bool is_finished_ = false;
};

bool has_feature(const LocalRestoreOptions& options, std::string_view name) {
  return std::ranges::find(options.features, name) != options.features.end();
}

}  // namespace

// What follows from the Restore.
struct LocalRestore::Parts {
  api::RestoreSpec spec;
  selection::RestoreFilterSpec filter;
  std::optional<modifiers::ResourceModifiers> modifiers;
  std::optional<selection::ResourcePolicies> policies;
  std::optional<kube::Discovery> discovery;
  hooks::RestoreHooks hooks;
  std::optional<item_actions::RestoreActionContext> actions;
  operation::MemoryRecords records;
  std::unique_ptr<operation::Journal> journal;

  Status read_config_maps(const kube::Resource& maps, const std::stop_token& stop);
  Status read_filter(Json& restore);
  volume_info::RestoreWish wish(const LocalRestoreOptions& options) const;
  restore::RestoreJob job(const Json& restore, const RestoreSource& source) const;
  RestoreTools tools(kube::Client& client, progress::ItemReporter& progress, const LocalRestoreOptions& options,
                     const Logger& log, const Context& context);
};

Status LocalRestore::Parts::read_config_maps(const kube::Resource& maps, const std::stop_token& stop) {
  if (const auto& reference = spec.resource_modifier) {
    const std::string what = "--resource-modifier-configmap " + maps.name_space() + "/" + reference->name;
    TRY_ASSIGN(const Json map, what, maps.get(reference->name, stop));
    TRY_ASSIGN(modifiers, what, modifiers::ResourceModifiers::from_config_map(map));
  }
  if (const auto& reference = spec.resource_policy) {
    const std::string what = "--resource-policies-configmap " + maps.name_space() + "/" + reference->name;
    TRY_ASSIGN(const Json map, what, maps.get(reference->name, stop));
    TRY_ASSIGN(policies, what, selection::read_resource_policies(map));
  }
  return {};
}

Status LocalRestore::Parts::read_filter(Json& restore) {
  selection::Messages problems;
  filter = selection::read_restore_filter_spec(restore["spec"], problems);
  const auto more = selection::restore_filter_problems(filter, policies ? &*policies : nullptr);
  problems.insert(problems.end(), more.begin(), more.end());
  if (!problems.empty()) return fail(Code::kInvalid, "the filters cannot be used: " + join(problems, "; "));
  filter = selection::completed(std::move(filter));
  restore["spec"]["excludedResources"] = filter.excluded_resources;
  return {};
}

volume_info::RestoreWish LocalRestore::Parts::wish(const LocalRestoreOptions& options) const {
  const auto chosen = selection::RestoreFilter::make(filter, policies ? &*policies : nullptr, *discovery);
  return {.restores_volumes = spec.restore_volumes.value_or(true),
          .fills_pod_volumes = !chosen || (chosen->resource({"", "persistentvolumeclaims"}) &&
                                           chosen->resource({"", "persistentvolumes"})),
          .has_csi = has_feature(options, "EnableCSI"),
          .is_cut_off = false};
}

restore::RestoreJob LocalRestore::Parts::job(const Json& restore, const RestoreSource& source) const {
  return {.restore = restore,
          .spec = spec,
          .filter = filter,
          .backup = *source.backup,
          .archive = *source.archive,
          .volume_infos = source.volume_infos.get(),
          .volume_snapshots = source.volume_snapshots.get(),
          .csi_volume_snapshots = source.csi_volume_snapshots.get(),
          .pod_volume_backups = &source.pod_volume_backups,
          .modifiers = modifiers ? &*modifiers : nullptr,
          .policies = policies ? &*policies : nullptr};
}

RestoreTools LocalRestore::Parts::tools(kube::Client& client, progress::ItemReporter& progress,
                                        const LocalRestoreOptions& options, const Logger& log, const Context& context) {
  return {.client = client,
          .clock = context.clock,
          .random = system_random(),
          .log = log,
          .item_log = log,
          .progress = progress,
          .journal = *journal,
          .make_actions =
              [this](kube::Client&, const kube::Discovery& known) {
                auto made = item_actions::built_in_restore_actions(*actions, known);
                made.push_back(hooks::make_init_hook_action(hooks, spec.namespace_mapping));
                std::ranges::stable_sort(made, {}, [](const auto& action) { return action->name(); });
                return made;
              },
          .save_plan = [&options](const restore::Plan& plan, const std::stop_token&) -> Status {
            return options.save_plan ? options.save_plan(plan) : Status();
          },
          .options = {.managed_fields = options.managed_fields,
                      .chooses_versions = has_feature(options, "EnableAPIGroupVersions"),
                      .has_csi = has_feature(options, "EnableCSI"),
                      .spool_directory = temporary_directory(context)}};
}

LocalRestore::LocalRestore(Json& restore, const RestoreSource& source, kube::Client& client,
                           LocalRestoreOptions options, Logger log, const Context& context)
    : restore_(restore),
      source_(source),
      client_(client),
      options_(std::move(options)),
      log_(std::move(log)),
      context_(context),
      parts_(std::make_unique<Parts>()) {}

LocalRestore::~LocalRestore() = default;

Status LocalRestore::prepare() {
  Parts& parts = *parts_;
  TRY_ASSIGN(parts.spec, "", api::read_restore_spec(restore_));
  TRY("", api::apply_restore_defaults(restore_, parts.spec, {}));
  TRY("",
      parts.read_config_maps(kube::Resource(client_, {"", "v1", "configmaps"}, options_.name_space), context_.stop));
  TRY("", parts.read_filter(restore_));
  // Again, with what was filled in; it points into the document, which stays as it is from here on.
  TRY_ASSIGN(parts.spec, "", api::read_restore_spec(restore_));
  TRY_ASSIGN(parts.discovery, "ask the cluster what it serves", kube::discover(client_, context_.stop));
  TRY_ASSIGN(parts.hooks, "", hooks::RestoreHooks::make(parts.spec.hooks, *parts.discovery));
  parts.actions.emplace(item_actions::RestoreActionContext{.client = client_,
                                                           .name_space = options_.name_space,
                                                           .spec = parts.spec,
                                                           .has_csi = has_feature(options_, "EnableCSI")});
  TRY_ASSIGN(parts.journal, "",
             operation::Journal::open(parts.records, {}, context_.clock, system_random(), log_, context_.stop));
  return {};
}

Result<restore::Plan> LocalRestore::preview() {
  ItemLines lines(restore_, options_.has_colors, context_);
  RestoreTools tools = parts_->tools(client_, lines.reporter(), options_, log_, context_);
  auto plan = restore::preview_restore(parts_->job(restore_, source_), tools, context_.stop);
  lines.finish();
  if (plan) plan->is_preview = true;
  return plan;
}

namespace {

// Waits for the hooks that the engine has begun, and adds those that failed to the errors.
void finish_hooks(hooks::RestoreHookRun& hooks, progress::ItemReporter& progress, operation::Results& results,
                  const Context& context) {
  if (!hooks.waiting_for().empty()) progress.step(progress::ItemStep::kRunningHooks);
  std::string last;
  while (!hooks.wait(context.clock.after(kHookLook), context.stop) && !context.stop.stop_requested()) {
    std::string now = hooks.waiting_for();
    if (now != last) progress.doing("waiting for hooks: " + now);
    if (now != last) progress.alive();
    last = std::move(now);
  }
  if (context.stop.stop_requested()) {
    if (const std::string left = hooks.waiting_for(); !left.empty()) {
      results.errors.add_to_run("hooks were not run to their end: " + left);
    }
  }
  for (const auto& failure : hooks.failures()) results.errors.add_to_namespace(failure.name_space, failure.text);
}

}  // namespace

Json LocalRestore::account_for_volumes(restore::RestoreProduct& product) const {
  Json rows = Json::array();
  if (context_.stop.stop_requested()) return rows;  // nothing more is asked of the cluster
  const k8s::ObjectView restore(restore_);
  volume_info::RestoreVolumeInfoTracker tracker(client_, context_.clock,
                                                {.name_space = options_.name_space,
                                                 .restore = std::string(restore.name()),
                                                 .uid = std::string(restore.uid()),
                                                 .wish = parts_->wish(options_)},
                                                log_);
  tracker.handled(product.claims, product.volumes);
  const volume_info::BackedUpClaims backup(source_.volume_infos.get(), &source_.pod_volume_backups,
                                           source_.csi_volume_snapshots.get());
  volume_info::RestoreVolumeInfoTracker::Account account = tracker.generate(backup, context_.stop);
  for (const volume_info::RestoredVolume& row : account.rows) rows.push_back(to_json(row));
  for (auto& missing : account.missing) {
    operation::ResultList& list = missing.is_error ? product.results.errors : product.results.warnings;
    list.add_to_namespace(missing.name_space, std::move(missing.text));
  }
  return rows;
}

Result<LocalRestore::Outcome> LocalRestore::run() {
  ItemLines lines(restore_, options_.has_colors, context_);
  RestoreTools tools = parts_->tools(client_, lines.reporter(), options_, log_, context_);
  // Nobody goes on with this run, so there is nothing to write down about hooks.
  hooks::RestoreHookRun hooks(parts_->hooks,
                              {.client = client_,
                               .clock = context_.clock,
                               .random = system_random(),
                               .log = log_,
                               .exec = hooks::exec_over(client_),
                               .on_begin = [](const std::string&) { return Status(); },
                               .on_end = [](const std::string&, const std::string&) {}},
                              {});
  tools.hooks = &hooks;
  TRY_ASSIGN(restore::RestoreProduct product, "", run_restore(parts_->job(restore_, source_), tools, context_.stop));
  finish_hooks(hooks, lines.reporter(), product.results, context_);
  for (const operation::ItemOperation& one : product.operations) {
    if (operation::is_final(one.phase)) continue;
    product.results.warnings.add_to_run("an operation of " + one.action +
                                        " goes on and is not waited for: " + one.operation_id);
  }
  auto volumes = std::make_unique<Json>(account_for_volumes(product));
  return Outcome{.product = std::move(product),
                 .progress = lines.finish(),
                 .hooks = hooks.counts(),
                 .volume_infos = std::move(volumes)};
}

}  // namespace landfall::cli
