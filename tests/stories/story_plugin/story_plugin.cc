// A plugin of every kind of action, whose operations go on until a file appears. What it does is in the directory
// STORY_DIRECTORY, a file each: its processes come and go, as those of plugins do.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "json/access.h"
#include "json/json.h"
#include "plugin_kit/plugin_kit.h"

namespace landfall::stories {
namespace {

namespace fs = std::filesystem;
using extension::ActionScope;
using json::Json;

ActionScope config_maps() { return {.included_resources = {"configmaps"}, .label_selector = "story=yes"}; }
std::string name_of(const Json& object) { return json::string_or(object, {"metadata", "name"}, ""); }

// The files of a story.
class Diary {
 public:
  explicit Diary(fs::path directory) : directory_(std::move(directory)) {}
  bool has(const std::string& what) const { return fs::exists(directory_ / what); }
  void write(const std::string& what) const { std::ofstream(directory_ / what).close(); }

 private:
  const fs::path directory_;
};

// "backup-ends" or "backup-fails" decide about the operations of "backup".
class Operations final : public extension::Waitable {
 public:
  Operations(Diary diary, std::string kind) : diary_(std::move(diary)), kind_(std::move(kind)) {}

  Result<extension::OperationProgress> progress(const std::string& id, const Json& /*owner*/,
                                                const std::stop_token& /*stop*/) override {
    extension::OperationProgress progress{.done = 1, .total = 4, .units = "pages", .description = "copies " + id};
    if (diary_.has(kind_ + "-fails")) progress.error = "the paper is out";
    progress.is_completed = diary_.has(kind_ + "-ends") || !progress.error.empty();
    if (progress.error.empty() && progress.is_completed) progress.done = progress.total;
    return progress;
  }
  Status cancel(const std::string& id, const Json& /*owner*/, const std::stop_token& /*stop*/) override {
    diary_.write(kind_ + "-canceled-" + id);
    return {};
  }

 private:
  const Diary diary_;
  const std::string kind_;
};

class BackupAction final : public extension::BackupItemAction {
 public:
  BackupAction(const Diary& diary, Logger log) : operations_(diary, "backup"), log_(std::move(log)) {}
  std::string name() const override { return "story.landfall.dev/backup"; }
  ActionScope scope() const override { return config_maps(); }
  Result<extension::BackupActionResult> execute(const Json& item, const Json& backup,
                                                const std::stop_token& /*stop*/) override {
    extension::BackupActionResult result;
    const std::string phase = json::string_or(backup, {"status", "phase"}, "");
    if (phase.starts_with("Finalizing")) return result;
    result.operation_id = name_of(item);
    result.after_operation = {{.resource = {"", "configmaps"},
                               .name_space = json::string_or(item, {"metadata", "namespace"}, ""),
                               .name = name_of(item)}};
    log_.info("The story begins", {{"item", name_of(item)}});
    return result;
  }
  extension::Waitable* waitable() override { return &operations_; }

 private:
  Operations operations_;
  const Logger log_;
};

class RestoreAction final : public extension::RestoreItemAction {
 public:
  explicit RestoreAction(const Diary& diary) : operations_(diary, "restore") {}
  std::string name() const override { return "story.landfall.dev/restore"; }
  ActionScope scope() const override { return config_maps(); }
  Result<extension::RestoreActionResult> execute(const extension::RestoreActionInput& input,
                                                 const std::stop_token& /*stop*/) override {
    extension::RestoreActionResult result;
    result.changed = std::make_unique<Json>(input.item);
    TRY("", json::set_at(*result.changed, {"data", "told"}, "yes"));
    result.operation_id = name_of(input.item);
    return result;
  }
  extension::Waitable* waitable() override { return &operations_; }

 private:
  Operations operations_;
};

class DeleteAction final : public extension::DeleteItemAction {
 public:
  explicit DeleteAction(Diary diary) : diary_(std::move(diary)) {}
  std::string name() const override { return "story.landfall.dev/delete"; }
  ActionScope scope() const override { return config_maps(); }
  Status execute(const Json& item, const Json& /*backup*/, const std::stop_token& /*stop*/) override {
    diary_.write("deleted-" + name_of(item));
    return {};
  }

 private:
  const Diary diary_;
};

class BlockAction final : public extension::ItemBlockAction {
 public:
  explicit BlockAction(Diary diary) : diary_(std::move(diary)) {}
  std::string name() const override { return "story.landfall.dev/block"; }
  ActionScope scope() const override { return config_maps(); }
  Result<std::vector<k8s::ObjectRef>> related_items(const Json& item, const Json& /*backup*/,
                                                    const std::stop_token& /*stop*/) override {
    diary_.write("related-" + name_of(item));
    return std::vector<k8s::ObjectRef>();
  }

 private:
  const Diary diary_;
};

}  // namespace
}  // namespace landfall::stories

int main(int argc, char** argv) {
  namespace kit = landfall::plugin_kit;
  namespace stories = landfall::stories;
  return kit::serve(argc, argv, [](kit::Plugins& plugins, const kit::Context& context) {
    const stories::Diary diary(context.environment.get_or("STORY_DIRECTORY", "/nowhere"));
    plugins.add(std::make_unique<stories::BackupAction>(diary, context.log));
    plugins.add(std::make_unique<stories::RestoreAction>(diary));
    plugins.add(std::make_unique<stories::DeleteAction>(diary));
    plugins.add(std::make_unique<stories::BlockAction>(diary));
  });
}
