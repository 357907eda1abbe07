// A plugin that leaves its mark on every ConfigMap of a backup and takes it away again in a restore.

#include <memory>
#include <string>

#include "json/access.h"
#include "json/json.h"
#include "plugin_kit/plugin_kit.h"

namespace {

using landfall::Logger;
using landfall::Result;
using landfall::json::Json;

constexpr std::string_view kMark = "example.landfall.dev/backup";

class MarkAction final : public landfall::extension::BackupItemAction {
 public:
  explicit MarkAction(Logger log) : log_(std::move(log)) {}

  std::string name() const override { return "example.landfall.dev/mark"; }
  landfall::extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }

  Result<landfall::extension::BackupActionResult> execute(const Json& item, const Json& backup,
                                                          const std::stop_token& /*stop*/) override {
    landfall::extension::BackupActionResult result;
    result.changed = std::make_unique<Json>(item);
    const std::string name = landfall::json::string_or(backup, {"metadata", "name"}, "");
    TRY("mark", landfall::json::set_at(*result.changed, {"metadata", "annotations", kMark}, name));
    log_.info("Marked a ConfigMap", {{"name", landfall::json::string_or(item, {"metadata", "name"}, "")}});
    return result;
  }

 private:
  const Logger log_;
};

class UnmarkAction final : public landfall::extension::RestoreItemAction {
 public:
  std::string name() const override { return "example.landfall.dev/unmark"; }
  landfall::extension::ActionScope scope() const override { return {.included_resources = {"configmaps"}}; }

  Result<landfall::extension::RestoreActionResult> execute(const landfall::extension::RestoreActionInput& input,
                                                           const std::stop_token& /*stop*/) override {
    landfall::extension::RestoreActionResult result;
    auto changed = std::make_unique<Json>(input.item);
    if (landfall::json::erase_at(*changed, {"metadata", "annotations", kMark})) result.changed = std::move(changed);
    return result;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return landfall::plugin_kit::serve(
      argc, argv, [](landfall::plugin_kit::Plugins& plugins, const landfall::plugin_kit::Context& context) {
        plugins.add(std::make_unique<MarkAction>(context.log));
        plugins.add(std::make_unique<UnmarkAction>());
      });
}
