// For tests of the kit: a plugin of every kind, with the faults that implementations have.

#include <map>
#include <stdexcept>

#include "base/guarded.h"
#include "io/stream.h"
#include "json/access.h"
#include "json/json.h"
#include "plugin_kit/plugin_kit.h"

namespace landfall {
namespace {

using json::Json;

// A store in memory.
class MemoryStore final : public extension::ObjectStore {
 public:
  extension::StoreCapabilities capabilities() const override { return {}; }
  Status put(std::string_view key, const extension::ObjectSource& source, const extension::PutOptions& /*options*/,
             const std::stop_token& /*stop*/) override {
    TRY_ASSIGN(const auto reader, "", source.open());
    TRY_ASSIGN(std::string bytes, "", io::read_all(*reader, std::size_t{1} << 30U));
    objects_.with([&](auto& objects) { objects[std::string(key)] = std::move(bytes); });
    return {};
  }
  Result<std::unique_ptr<io::Reader>> get(std::string_view key, const std::stop_token& /*stop*/) override {
    return objects_.with([&](auto& objects) -> Result<std::unique_ptr<io::Reader>> {
      const auto found = objects.find(key);
      if (found == objects.end()) return fail(Code::kNotFound, "no object " + std::string(key));
      return std::make_unique<io::StringReader>(found->second);
    });
  }
  Result<bool> exists(std::string_view key, const std::stop_token& /*stop*/) override {
    return objects_.with([&](auto& objects) { return objects.contains(key); });
  }
  Status list(std::string_view prefix, const Visit& visit, const std::stop_token& /*stop*/) override {
    for (const auto& [key, bytes] : objects_.copy()) {
      if (key.starts_with(prefix)) TRY("", visit({.key = key}));
    }
    return {};
  }
  Result<std::vector<std::string>> folders(std::string_view prefix, const std::stop_token& /*stop*/) override {
    return std::vector<std::string>{std::string(prefix) + "one/", std::string(prefix) + "two/"};
  }
  Status remove(std::span<const std::string> keys, const std::stop_token& /*stop*/) override {
    objects_.with([&](auto& objects) {
      for (const std::string& key : keys) objects.erase(key);
    });
    return {};
  }
  Result<std::string> signed_url(std::string_view key, std::chrono::seconds valid_for,
                                 const std::stop_token& /*stop*/) override {
    return "https://x/" + std::string(key) + "?" + std::to_string(valid_for.count());
  }
  Result<std::size_t> sweep(std::string_view /*prefix*/, WallTime /*begun_before*/,
                            const std::stop_token& /*stop*/) override {
    return std::size_t{0};
  }

 private:
  Guarded<std::map<std::string, std::string, std::less<>>> objects_;
};

class Snapshots final : public extension::VolumeSnapshotter {
 public:
  Snapshots(plugin_kit::Config config, bool has_progress) : config_(std::move(config)), has_progress_(has_progress) {}

  Result<std::string> volume_id(const Json& volume, const std::stop_token& /*stop*/) override {
    return json::string_or(volume, {"spec", "id"}, "");
  }
  Status set_volume_id(Json& volume, const std::string& volume_id, const std::stop_token& /*stop*/) override {
    return json::set_at(volume, {"spec", "id"}, volume_id);
  }
  Result<extension::VolumeTraits> volume_traits(const std::string& /*volume_id*/, const std::string& zone,
                                                const std::stop_token& /*stop*/) override {
    return extension::VolumeTraits{.type = "disk-" + zone, .iops = 7};
  }
  Result<std::string> create_snapshot(const std::string& volume_id, const std::string& /*zone*/,
                                      const std::map<std::string, std::string>& tags,
                                      const std::stop_token& /*stop*/) override {
    return "of-" + volume_id + "-" + tags.at("velero.io/pv") + "-" + config_.at("region");
  }
  Result<std::string> create_volume(const std::string& snapshot_id, const extension::VolumeTraits& traits,
                                    const std::string& zone, const std::stop_token& /*stop*/) override {
    return snapshot_id + "+" + traits.type + "+" + zone + "+" + (traits.iops ? std::to_string(*traits.iops) : "none");
  }
  Status delete_snapshot(const std::string& snapshot_id, const std::stop_token& /*stop*/) override {
    return fail(Code::kForbidden, snapshot_id + " is held");
  }
  Result<extension::TransferProgress> snapshot_progress(const std::string& snapshot_id,
                                                        const std::stop_token& /*stop*/) override {
    if (!has_progress_) return fail(Code::kUnsupported, "no progress here");
    if (snapshot_id != "known") return fail(Code::kNotFound, "no snapshot " + snapshot_id);
    return extension::TransferProgress{.phase = "InProgress",
                                       .message = "under way",
                                       .total_bytes = 10,
                                       .bytes_done = 4,
                                       .started = WallTime(std::chrono::milliseconds(1'500)),
                                       .plugin_specific = {{"colour", "blue"}}};
  }
  Result<extension::TransferProgress> volume_progress(const std::string& volume_id, const std::string& snapshot_id,
                                                      const std::stop_token& /*stop*/) override {
    return extension::TransferProgress{.phase = "Completed", .message = volume_id + " of " + snapshot_id};
  }
  Status cancel_snapshot(const std::string& /*snapshot_id*/, const std::stop_token& /*stop*/) override { return {}; }
  Status cancel_volume(const std::string& /*volume_id*/, const std::string& /*snapshot_id*/,
                       const std::stop_token& /*stop*/) override {
    return fail(Code::kUnsupported, "cannot be cancelled");
  }

 private:
  const plugin_kit::Config config_;
  const bool has_progress_;
};

// Does what the object's metadata.name says.
class BackupAction final : public extension::BackupItemAction, public extension::Waitable {
 public:
  BackupAction(std::string name, const plugin_kit::Context& context)
      : name_(std::move(name)), log_(context.log), clock_(context.clock) {}

  std::string name() const override { return name_; }
  extension::ActionScope scope() const override {
    return {.included_namespaces = {"a"}, .excluded_resources = {"secrets"}, .label_selector = "x=y"};
  }
  extension::Waitable* waitable() override { return name_ == "test.dev/second" ? this : nullptr; }

  Result<extension::BackupActionResult> execute(const Json& item, const Json& backup,
                                                const std::stop_token& stop) override {
    const std::string what = json::string_or(item, {"metadata", "name"}, "");
    extension::BackupActionResult result;
    log_.debug("Looks at it", {{"what", what}});
    if (what == "throw") throw std::runtime_error("out of luck");
    if (what == "fail") return fail(Code::kNotFound, "not found at all");
    if (what == "skip") result.skip = true;
    if (what == "must") result.must_include = true;
    if (what == "wait") {
      log_.info("Waits for a stop");
      clock_.sleep_for(std::chrono::hours(1), stop);
      log_.info("Was stopped");
      return fail(Code::kCancelled, "stopped");
    }
    if (what == "deaf") clock_.sleep_for(std::chrono::hours(1), {});
    if (what == "operation") {
      result.operation_id = "op-1";
      result.after_operation = {{.resource = {"", "pods"}, .name_space = "a", .name = "after"}};
    }
    if (what == "change") {
      result.changed = std::make_unique<Json>(item);
      (*result.changed)["backup"] = json::string_or(backup, {"metadata", "name"}, "");
      result.additional = {{.resource = {"apps", "deployments"}, .name_space = "n", .name = "d"}};
    }
    return result;
  }

  Result<extension::OperationProgress> progress(const std::string& operation_id, const Json& /*owner*/,
                                                const std::stop_token& /*stop*/) override {
    return extension::OperationProgress{.done = 3, .total = 9, .units = "bytes", .description = operation_id};
  }
  Status cancel(const std::string& /*operation_id*/, const Json& /*owner*/, const std::stop_token& /*stop*/) override {
    return {};
  }

 private:
  const std::string name_;
  const Logger log_;
  Clock& clock_;
};

class RestoreAction final : public extension::RestoreItemAction {
 public:
  std::string name() const override { return "test.dev/restore"; }
  extension::ActionScope scope() const override { return {}; }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& /*stop*/) override {
    extension::RestoreActionResult result;
    result.changed = std::make_unique<Json>(input.from_backup);
    result.skip = json::has(input.item, {"skip"});
    result.waits_for_additional = true;
    result.additional_timeout = std::chrono::milliseconds(2'500);
    result.operation_id = json::string_or(input.restore, {"metadata", "name"}, "");
    return result;
  }
  Result<bool> are_ready(const std::vector<k8s::ObjectRef>& additional, const Json& /*restore*/,
                         const std::stop_token& /*stop*/) override {
    return additional.size() == 2 && additional[1].name == "b";
  }
};

class DeleteAction final : public extension::DeleteItemAction {
 public:
  std::string name() const override { return "test.dev/delete"; }
  extension::ActionScope scope() const override { return {}; }
  Status execute(const Json& item, const Json& /*backup*/, const std::stop_token& /*stop*/) override {
    if (json::has(item, {"fail"})) return fail(Code::kInternal, "cannot delete");
    return {};
  }
};

class BlockAction final : public extension::ItemBlockAction {
 public:
  std::string name() const override { return "test.dev/block"; }
  extension::ActionScope scope() const override { return {}; }
  Result<std::vector<k8s::ObjectRef>> related_items(const Json& /*item*/, const Json& /*backup*/,
                                                    const std::stop_token& /*stop*/) override {
    return std::vector<k8s::ObjectRef>{{.resource = {"", "pods"}, .name_space = "n", .name = "friend"}};
  }
};

}  // namespace
}  // namespace landfall

int main(int argc, char** argv) {
  using landfall::plugin_kit::ActionVersion;
  return landfall::plugin_kit::serve(
      argc, argv, [](landfall::plugin_kit::Plugins& plugins, const landfall::plugin_kit::Context& context) {
        const auto snapshots = [](bool has_progress) {
          return [has_progress](const landfall::plugin_kit::Config& config)
                     -> landfall::Result<std::unique_ptr<landfall::extension::VolumeSnapshotter>> {
            if (!config.contains("region")) return landfall::fail(landfall::Code::kInvalid, "no region");
            return std::make_unique<landfall::Snapshots>(config, has_progress);
          };
        };
        plugins.add_object_store("test.dev/memory", [](const landfall::plugin_kit::Config&) {
          return std::make_unique<landfall::MemoryStore>();
        });
        plugins.add_volume_snapshotter("test.dev/snapshots", snapshots(true));
        plugins.add_volume_snapshotter("test.dev/plain", snapshots(false));
        plugins.add(std::make_unique<landfall::BackupAction>("test.dev/first", context));
        plugins.add(std::make_unique<landfall::BackupAction>("test.dev/second", context));
        plugins.add(std::make_unique<landfall::BackupAction>("no name", context));
        plugins.add(std::make_unique<landfall::BackupAction>("test.dev/first", context));
        plugins.add(std::make_unique<landfall::RestoreAction>(), ActionVersion::kSecond);
        plugins.add(std::make_unique<landfall::DeleteAction>());
        plugins.add(std::make_unique<landfall::BlockAction>());
      });
}
