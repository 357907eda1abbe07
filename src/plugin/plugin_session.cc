#include "plugin/plugin_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/guarded.h"
#include "base/quote.h"
#include "base/strings.h"
#include "plugin/messages.h"
#include "plugin/plugin_actions.h"
#include "plugin/plugin_host.h"
#include "plugin/plugin_object_store.h"
#include "plugin/plugin_snapshotter.h"

namespace landfall::plugin {
namespace {

// Velero leaves these alone unless EnableCSI is given.
constexpr std::string_view kCsiMark = "velero.io/csi-";

// Our files in memory have names for this process only. The same file by a name for its children.
Config visible_to_children(Config config) {
  constexpr std::string_view kSelf = "/proc/self/";
  const auto file = config.find("credentialsFile");
  if (file != config.end() && file->second.starts_with(kSelf)) {
    file->second = fmt::format("/proc/{}/{}", ::getpid(), file->second.substr(kSelf.size()));
  }
  return config;
}

bool by_name(const PluginId& one, const PluginId& other) { return one.name < other.name; }

}  // namespace

Session::Core::Core(std::shared_ptr<const HostOptions> options, std::shared_ptr<SocketHome> sockets, Clock& clock,
                    io::ProcessRunner& processes, Registry registry, Logger log)
    : options_(std::move(options)),
      sockets_(std::move(sockets)),
      clock_(clock),
      processes_(processes),
      registry_(std::move(registry)),
      log_(std::move(log)),
      owners_(std::make_shared<OwnerText>()) {}

std::shared_ptr<ProcessSlot> Session::Core::slot(const std::string& command, bool has_credentials) {
  return slots_.with([&](auto& slots) {
    auto& slot = slots[command];
    if (!slot) {
      slot = std::make_shared<ProcessSlot>(ProcessStart{.command = command,
                                                        .has_credentials = has_credentials,
                                                        .options = options_,
                                                        .sockets = sockets_,
                                                        .clock = clock_,
                                                        .processes = processes_,
                                                        .log = log_});
    }
    return slot;
  });
}

Result<PluginId> Session::Core::find(std::string_view kind, const std::string& name) const {
  if (const PluginId* const found = registry_.find(kind, name)) return *found;
  const auto names = registry_.names(kind);
  return fail(Code::kUnsupported, fmt::format("no plugin is a {} for {}: there {}", kind, quote(name),
                                              names.empty() ? "is none at all" : "are " + join(names, ", ")));
}

std::vector<PluginId> Session::Core::all(std::string_view kind, std::string_view newer_kind, bool without_csi) const {
  std::vector<PluginId> chosen;
  for (const PluginId& one : registry_.plugins) {
    const bool is_older = one.kind == kind;
    if (!is_older && one.kind != newer_kind) continue;
    if (without_csi && contains(one.name, kCsiMark)) continue;
    // Velero would run such a one twice.
    if (is_older && !newer_kind.empty() && registry_.find(newer_kind, one.name) != nullptr) continue;
    chosen.push_back(one);
  }
  std::ranges::stable_sort(chosen, by_name);
  return chosen;
}

ActionParts Session::Core::parts(const PluginId& id) {
  return {.slot = slot(id.command, false),
          .name = id.name,
          .owners = owners_,
          .first_call_limit = options_->first_call_limit};
}

Session::Session(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<std::unique_ptr<extension::ObjectStore>> Session::object_store(const std::string& name, const Config& config,
                                                                      const std::stop_token& stop) {
  TRY_ASSIGN(const PluginId id, "", core_->find(kind::kObjectStore, name));
  return open_object_store(core_->slot(id.command, config.contains("credentialsFile")), name,
                           visible_to_children(config), core_->options().first_call_limit, stop);
}

Result<std::unique_ptr<extension::VolumeSnapshotter>> Session::volume_snapshotter(const std::string& name,
                                                                                  const Config& config,
                                                                                  const std::stop_token& stop) {
  TRY_ASSIGN(const PluginId id, "", core_->find(kind::kVolumeSnapshotter, name));
  return open_snapshotter(core_->slot(id.command, config.contains("credentialsFile")), name,
                          visible_to_children(config), core_->options().first_call_limit, stop);
}

Result<std::vector<std::unique_ptr<extension::BackupItemAction>>> Session::backup_item_actions(
    bool without_csi, const std::stop_token& stop) {
  std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
  for (const PluginId& id : core_->all(kind::kBackupItemAction, kind::kBackupItemActionV2, without_csi)) {
    TRY_ASSIGN(auto action, "", open_backup_action(core_->parts(id), id.kind == kind::kBackupItemActionV2, stop));
    actions.push_back(std::move(action));
  }
  return actions;
}

Result<std::vector<std::unique_ptr<extension::RestoreItemAction>>> Session::restore_item_actions(
    bool without_csi, const std::stop_token& stop) {
  std::vector<std::unique_ptr<extension::RestoreItemAction>> actions;
  for (const PluginId& id : core_->all(kind::kRestoreItemAction, kind::kRestoreItemActionV2, without_csi)) {
    TRY_ASSIGN(auto action, "", open_restore_action(core_->parts(id), id.kind == kind::kRestoreItemActionV2, stop));
    actions.push_back(std::move(action));
  }
  return actions;
}

Result<std::vector<std::unique_ptr<extension::DeleteItemAction>>> Session::delete_item_actions(
    bool without_csi, const std::stop_token& stop) {
  std::vector<std::unique_ptr<extension::DeleteItemAction>> actions;
  for (const PluginId& id : core_->all(kind::kDeleteItemAction, {}, without_csi)) {
    TRY_ASSIGN(auto action, "", open_delete_action(core_->parts(id), stop));
    actions.push_back(std::move(action));
  }
  return actions;
}

Result<std::vector<std::unique_ptr<extension::ItemBlockAction>>> Session::item_block_actions(
    bool without_csi, const std::stop_token& stop) {
  std::vector<std::unique_ptr<extension::ItemBlockAction>> actions;
  for (const PluginId& id : core_->all(kind::kItemBlockAction, {}, without_csi)) {
    TRY_ASSIGN(auto action, "", open_item_block_action(core_->parts(id), stop));
    actions.push_back(std::move(action));
  }
  return actions;
}

}  // namespace landfall::plugin
