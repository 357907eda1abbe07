#include "item_actions/restore_image_action.h"

#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "item_actions/restore_draft.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

constexpr const char* kName = "velero.io/change-image-name";

std::string replace_all(std::string_view text, std::string_view part, std::string_view by) {
  std::string out;
  std::size_t from = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, from)) {
    out.append(text.substr(from, at - from)).append(by);
    from = at + part.size();
  }
  return out.append(text.substr(from));
}

std::optional<std::string> renamed(const std::string& image, const json::StringMap& rules) {
  for (const auto& [key, rule] : rules) {
    const auto halves = cut(rule, ',');
    if (!halves || halves->second.empty()) continue;
    const std::string_view part = trim(halves->first);
    // Velero would write NEW between all letters.
    if (part.empty() || !contains(image, part)) continue;
    return replace_all(image, part, trim(halves->second));
  }
  return std::nullopt;
}

using Keys = std::vector<std::string_view>;

Keys pod_spec_of(const Json& item) {
  const std::string_view kind = k8s::ObjectView(item).kind();
  if (kind == "Pod") return {"spec"};
  if (kind == "CronJob") return {"spec", "jobTemplate", "spec", "template", "spec"};
  return {"spec", "template", "spec"};
}

Status rename_images(Draft& draft, Keys path, const json::StringMap& rules) {
  const json::Path containers_at{std::span<const std::string_view>(path)};
  if (!json::has(draft.now(), containers_at)) return {};
  TRY_ASSIGN(const Json* containers, "", json::array_at(draft.now(), containers_at));
  const std::size_t count = containers->size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string index = std::to_string(i);
    Keys image_keys = path;
    image_keys.insert(image_keys.end(), {index, "image"});
    const json::Path image_at{std::span<const std::string_view>(image_keys)};
    const std::string* image = json::find_string(draft.now(), image_at);
    if (image == nullptr) continue;
    if (std::optional<std::string> name = renamed(*image, rules)) TRY("", draft.set(image_at, *std::move(name)));
  }
  return {};
}

class ImageRestoreAction final : public extension::RestoreItemAction {
 public:
  explicit ImageRestoreAction(std::shared_ptr<PluginConfigs> configs) : configs_(std::move(configs)) {}

  std::string name() const override { return kName; }
  extension::ActionScope scope() const override {
    return {.included_resources = {"deployments", "statefulsets", "daemonsets", "replicasets", "replicationcontrollers",
                                   "jobs", "cronjobs", "pods"}};
  }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    RestoreActionResult result;
    TRY_ASSIGN(const std::shared_ptr<const json::StringMap> rules, "", configs_->of(kName, stop));
    if (rules->empty()) return result;
    Draft draft(input.item);
    for (const std::string_view containers : {"containers", "initContainers"}) {
      Keys path = pod_spec_of(input.item);
      path.push_back(containers);
      TRY("", rename_images(draft, std::move(path), *rules));
    }
    result.changed = draft.take();
    return result;
  }

 private:
  const std::shared_ptr<PluginConfigs> configs_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_image_action(std::shared_ptr<PluginConfigs> configs) {
  return std::make_unique<ImageRestoreAction>(std::move(configs));
}

}  // namespace landfall::item_actions
